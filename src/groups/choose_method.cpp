#include "groups/choose_method.hpp"

#include "tree/shape.hpp"

namespace ductile::groups {

namespace {

constexpr double id_bytes = 8;  // a member in a roster: its id and colour

}  // namespace

double centralized_us(int n, int branching, const MessageCosts& costs) {
    const int levels = tree::height(n, branching);
    // For the bandwidth of each pass, balanced-spanning-trees gives an upper bound: n k beta (k:
    // the branching, beta: the time for each unit of data). This term is smaller: n entries go up
    // through the root and n entries go down, one message after the other.
    return 2 * levels * costs.latency_us + 2 * id_bytes * n * costs.byte_us;
}

double hash_us(int n, int branching, const MessageCosts& costs) {
    const int levels = tree::height(n, branching);
    // Both passes; then a message to the intermediary and the intermediary's answer. An
    // intermediary receives k + 1 messages (k: the branching), one after the other.
    const double words = 4.0 * (3 * branching + 5);
    return (2 * levels + 2 + branching) * costs.latency_us + words * costs.byte_us;
}

tree::Algorithm choose_algorithm(int n, int branching, const MessageCosts& costs) {
    return centralized_us(n, branching, costs) <= hash_us(n, branching, costs)
               ? tree::Algorithm::centralized
               : tree::Algorithm::shrink_and_hash;
}

}  // namespace ductile::groups
