#include "plan/rank_order.hpp"

#include <stdexcept>
#include <string>

namespace ductile::plan {

namespace {

void require_rank_in(const core::Group& group, core::Rank in_group) {
    if (in_group.value >= 0 && in_group.value < group.ranks) return;
    throw std::out_of_range("no rank " + std::to_string(in_group.value) + " in group " +
                            std::to_string(group.id.value) + " of " + std::to_string(group.ranks));
}

}  // namespace

int order_key(const std::vector<core::Group>& added, core::GroupId group, core::Rank in_group) {
    const core::Group* own = nullptr;
    int ranks_of_lower_ids = 0;
    for (const auto& other : added) {
        if (other.id < group) ranks_of_lower_ids += other.ranks;
        if (other.id == group) own = &other;
    }
    if (own == nullptr)
        throw std::out_of_range("group " + std::to_string(group.value) + " is not among the " +
                                std::to_string(added.size()) + " added");
    require_rank_in(*own, in_group);
    return ranks_of_lower_ids + in_group.value;
}

core::Rank final_rank(const core::Layout& before, const std::vector<core::Group>& added,
                      core::GroupId group, core::Rank in_group) {
    if (const auto rank = before.rank_of({group, in_group})) return *rank;
    return core::Rank{before.size() + order_key(added, group, in_group)};
}

}  // namespace ductile::plan
