// The public rules of distribution.
#include "ductile/distribution.hpp"

#include <utility>

#include "plan/rule.hpp"

namespace ductile {

namespace {

std::shared_ptr<const plan::Rule> share(plan::Rule rule) {
    return std::make_shared<const plan::Rule>(std::move(rule));
}

plan::Partition partition_of(const plan::Rule& rule, std::int64_t elements, int ranks) {
    if (elements < 0 || ranks < 1)
        throw InputError("there is no distribution of " + std::to_string(elements) +
                         " elements over " + std::to_string(ranks) + " ranks");
    return rule.partition(elements, ranks);
}

}  // namespace

Distribution::Distribution() : rule_(share(plan::Rule())) {}

Distribution Distribution::by_weights(std::function<std::vector<std::int64_t>(int ranks)> weights) {
    return Distribution(share(plan::weighted_rule(std::move(weights))));
}

Distribution Distribution::by_hosts(
    std::function<std::vector<std::int64_t>(const std::vector<RankHost>& ranks)> weights) {
    return Distribution(share(plan::host_weighted_rule(std::move(weights))));
}

Distribution Distribution::by_slots() {
    return Distribution(share(plan::slots_rule()));
}

Distribution Distribution::balanced(
    std::function<std::int64_t(std::int64_t element)> weight_before) {
    return Distribution(share(plan::balanced_rule(std::move(weight_before))));
}

Distribution Distribution::cyclic(std::int64_t block) {
    return Distribution(share(plan::cyclic_rule(block)));
}

Distribution Distribution::by_ranges(
    std::function<std::vector<Range>(int ranks, int rank)> ranges) {
    return Distribution(share(plan::listed_rule(std::move(ranges))));
}

Distribution Distribution::along(std::vector<std::int64_t> extents, int dimension) {
    return Distribution(share(plan::dimension_rule(std::move(extents), dimension)));
}

Distribution Distribution::grid(std::vector<std::int64_t> extents) {
    return Distribution(share(plan::grid_rule(std::move(extents))));
}

std::vector<Range> Distribution::ranges(std::int64_t elements, int ranks, int rank) const {
    const auto partition = partition_of(*rule_, elements, ranks);
    if (rank < 0 || rank >= ranks)
        throw InputError("there is no rank " + std::to_string(rank) + " of " +
                         std::to_string(ranks));
    return partition.ranges(rank);
}

int Distribution::owner(std::int64_t elements, int ranks, std::int64_t element) const {
    const auto partition = partition_of(*rule_, elements, ranks);
    if (element < 0 || element >= elements)
        throw InputError("there is no element " + std::to_string(element) + " of " +
                         std::to_string(elements));
    return partition.owner(element);
}

}  // namespace ductile
