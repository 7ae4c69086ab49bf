#include "policy/policy.hpp"

#include <algorithm>

#include "policy/efficiency.hpp"
#include "policy/energy.hpp"
#include "policy/natural.hpp"
#include "policy/preferred.hpp"

namespace ductile::policy {

std::string_view to_string(Kind kind) {
    switch (kind) {
        case Kind::manual:
            return "manual";
        case Kind::natural:
            return "natural";
        case Kind::preferred:
            return "preferred";
        case Kind::efficiency:
            return "efficiency";
        case Kind::energy:
            return "energy";
        case Kind::site:
            return "site";
    }
    return "manual";
}

std::optional<Kind> kind_named(std::string_view name) {
    const auto* found = std::ranges::find(all_kinds, name, to_string);
    return found == all_kinds.end() ? std::nullopt : std::optional(*found);
}

std::unique_ptr<Policy> make_policy(Kind kind, const Goals& goals) {
    switch (kind) {
        case Kind::manual:
        case Kind::site:
            return nullptr;
        case Kind::natural:
            return std::make_unique<Natural>();
        case Kind::preferred:
            return std::make_unique<Preferred>();
        case Kind::efficiency:
            return std::make_unique<Efficiency>(goals.efficiency);
        case Kind::energy:
            return std::make_unique<Energy>(goals.energy);
    }
    return nullptr;
}

}  // namespace ductile::policy
