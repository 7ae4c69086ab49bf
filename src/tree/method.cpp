#include "tree/method.hpp"

#include <stdexcept>

#include "core/named.hpp"
#include "tree/shape.hpp"

namespace ductile::tree {

void require_possible(const Method& method) {
    require_branching(method.branching);
    if (method.algorithm == Algorithm::shrink_and_balance && method.filler == Filler::none)
        throw std::invalid_argument(
            "shrink_and_balance balances only a tree whose holes are filled: choose the filler "
            "child or leaf");
}

std::string_view to_string(Algorithm algorithm) {
    switch (algorithm) {
        case Algorithm::centralized:
            return "centralized";
        case Algorithm::shrink_and_balance:
            return "shrink_and_balance";
        case Algorithm::shrink_and_hash:
            break;
    }
    return "shrink_and_hash";
}

std::string_view to_string(Filler filler) {
    switch (filler) {
        case Filler::none:
            return "none";
        case Filler::child:
            return "child";
        case Filler::leaf:
            break;
    }
    return "leaf";
}

std::optional<Algorithm> algorithm_named(std::string_view name) {
    return core::named(all_algorithms, name);
}

std::optional<Filler> filler_named(std::string_view name) {
    return core::named(all_fillers, name);
}

}  // namespace ductile::tree
