#include "groups/choose_method.hpp"

#include "tree/shape.hpp"

namespace ductile::groups {

namespace {

constexpr double id_bytes = 8;  // a member in a roster: its id and colour

}  // namespace

double centralized_us(int n, int branching, const MessageCosts& costs) {
    const int levels = tree::height(n, branching);
    // The paper's bandwidth term n k beta for each pass bounds it; the lists that go through the
    // root, which handles one message after the other, are n entries up and n down.
    return 2 * levels * costs.latency_us + 2 * id_bytes * n * costs.byte_us;
}

double hash_us(int n, int branching, const MessageCosts& costs) {
    const int levels = tree::height(n, branching);
    // Both passes, and two messages one after the other at the intermediaries, which hear k + 1.
    const double words = 4.0 * (3 * branching + 5);
    return (2 * levels + 2 + branching) * costs.latency_us + words * costs.byte_us;
}

tree::Algorithm choose_algorithm(int n, int branching, const MessageCosts& costs) {
    return centralized_us(n, branching, costs) <= hash_us(n, branching, costs)
               ? tree::Algorithm::centralized
               : tree::Algorithm::shrink_and_hash;
}

}  // namespace ductile::groups
