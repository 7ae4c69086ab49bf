#include "plan/rule.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "ductile/error.hpp"

namespace ductile::plan {

namespace {

// A partition of another array is a mistake of the program, and the error says so.
Partition of_this_array(Partition partition, const std::string& rule, std::int64_t elements) {
    if (partition.elements() != elements)
        throw InputError(fmt::format("the rule '{}' is for {} elements, and the array has {}", rule,
                                     partition.elements(), elements));
    return partition;
}

// The elements of the largest block that have a neighbour in another block, along all dimensions
// that are cut: the elements of halos. A floating-point number, because it is only compared.
double surface(const std::vector<std::int64_t>& extents, const std::vector<int>& parts) {
    std::vector<double> sides;
    for (std::size_t i = 0; i < extents.size(); ++i)
        sides.push_back(static_cast<double>(BlockDistribution{extents[i], parts[i]}.count(0)));
    double sum = 0;
    for (std::size_t i = 0; i < sides.size(); ++i) {
        double face = std::min(parts[i] - 1, 2);
        for (std::size_t j = 0; j < sides.size(); ++j)
            if (j != i) face *= sides[j];
        sum += face;
    }
    return sum;
}

struct BestGrid {
    const std::vector<std::int64_t>& extents;
    std::vector<int> best;
    double least = std::numeric_limits<double>::infinity();

    // Tries all ways to cut the dimensions from `tried.size()` on into `left` parts.
    void try_from(std::vector<int>& tried, int left) {
        if (tried.size() + 1 == extents.size()) {
            tried.push_back(left);
            if (const double now = surface(extents, tried); best.empty() || now < least)
                least = now, best = tried;
            tried.pop_back();
            return;
        }
        for (int cut = left; cut >= 1; --cut) {
            if (left % cut != 0) continue;
            tried.push_back(cut);
            try_from(tried, left / cut);
            tried.pop_back();
        }
    }
};

// The sum of `part` of `parts` equal shares, rounded up.
std::int64_t share(std::int64_t total, int part, int parts) {
    return total / parts * part + (total % parts * part + parts - 1) / parts;
}

// The first element that has at least this weight before it.
std::int64_t first_with(const std::function<std::int64_t(std::int64_t)>& before,
                        std::int64_t weight, std::int64_t elements) {
    std::int64_t low = 0, high = elements;
    while (low < high) {
        const auto middle = low + (high - low) / 2;
        if (before(middle) < weight)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

Partition weighted(std::int64_t elements, const std::vector<std::int64_t>& weights,
                   std::size_t parts) {
    if (weights.size() != parts)
        throw InputError(fmt::format("there are {} weights for {} parts", weights.size(), parts));
    return Partition::weighted(elements, weights);
}

// Shares are in units of 1/720720 slot. Up to 16 ranks on a host share a slot without remainder.
std::vector<std::int64_t> shares_of_slots(const std::vector<RankHost>& ranks) {
    constexpr std::int64_t of_a_slot = 720720;
    std::vector<std::int64_t> shares;
    for (const auto& one : ranks)
        shares.push_back(std::max<std::int64_t>(one.slots * of_a_slot / one.ranks, 1));
    return shares;
}

}  // namespace

Rule::Rule() : name_("blocks") {}

Partition Rule::partition(std::int64_t elements, int parts, const core::Layout* ranks) const {
    if (is_blocks()) return BlockDistribution{elements, parts};
    if (!goes_by_hosts()) return of_this_array(partition_(elements, parts), name_, elements);
    if (ranks == nullptr || ranks->size() != parts)
        throw InputError(fmt::format(
            "the rule '{}' goes by the hosts of {} ranks, which are not known here", name_, parts));
    return of_this_array(on_hosts_(elements, hosts_of_ranks(*ranks)), name_, elements);
}

std::vector<RankHost> hosts_of_ranks(const core::Layout& layout) {
    std::map<core::HostIndex, int> together;
    for (const auto& range : layout.active) together[range.host] += range.ranks;
    std::vector<RankHost> hosts;
    for (const auto& range : layout.active) {
        const int ranks = together[range.host];
        const auto known = layout.slots.find(range.host);
        const int slots = known == layout.slots.end() ? ranks : known->second;
        hosts.insert(hosts.end(), static_cast<std::size_t>(range.ranks),
                     RankHost{range.host.value, slots, ranks});
    }
    return hosts;
}

Rule cyclic_rule(std::int64_t block) {
    static_cast<void>(Partition::cyclic(0, 1, block));
    return {fmt::format("blocks of {} in turn", block), [block](std::int64_t elements, int parts) {
                return Partition::cyclic(elements, parts, block);
            }};
}

Rule weighted_rule(std::function<std::vector<std::int64_t>(int parts)> weights) {
    return {"blocks by weights", [weights = std::move(weights)](std::int64_t elements, int parts) {
                return weighted(elements, weights(parts), static_cast<std::size_t>(parts));
            }};
}

Rule host_weighted_rule(
    std::function<std::vector<std::int64_t>(const std::vector<RankHost>&)> weights) {
    return {"blocks by hosts", [weights = std::move(weights)](std::int64_t elements,
                                                              const std::vector<RankHost>& ranks) {
                return weighted(elements, weights(ranks), ranks.size());
            }};
}

Rule slots_rule() {
    return {"blocks by slots", [](std::int64_t elements, const std::vector<RankHost>& ranks) {
                return weighted(elements, shares_of_slots(ranks), ranks.size());
            }};
}

Rule balanced_rule(std::function<std::int64_t(std::int64_t element)> weight_before) {
    return {"blocks of equal weight",
            [before = std::move(weight_before)](std::int64_t elements, int parts) -> Partition {
                const auto total = before(elements);
                if (before(0) != 0 || total < 0)
                    throw InputError(fmt::format(
                        "the weight before the first element is {}, and in all {}; it must rise "
                        "from 0",
                        before(0), total));
                if (total == 0) return BlockDistribution{elements, parts};
                std::vector<std::int64_t> begins{0};
                for (int part = 1; part < parts; ++part)
                    begins.push_back(first_with(before, share(total, part, parts), elements));
                begins.push_back(elements);
                return Partition::consecutive(std::move(begins));
            }};
}

Rule listed_rule(std::function<std::vector<Range>(int parts, int part)> ranges) {
    return {"ranges", [ranges = std::move(ranges)](std::int64_t elements, int parts) {
                std::vector<std::vector<Range>> by_part;
                for (int part = 0; part < parts; ++part) by_part.push_back(ranges(parts, part));
                return Partition::listed(elements, by_part);
            }};
}

Rule dimension_rule(std::vector<std::int64_t> extents, int dimension) {
    if (dimension < 0 || dimension >= static_cast<int>(extents.size()))
        throw InputError(fmt::format("an array of {} dimensions has no dimension {}",
                                     extents.size(), dimension));
    auto name = fmt::format("dimension {} of {}", dimension, fmt::join(extents, " x "));
    return {std::move(name), [extents = std::move(extents), dimension](std::int64_t, int parts) {
                std::vector<int> cuts(extents.size(), 1);
                cuts[static_cast<std::size_t>(dimension)] = parts;
                return Partition::grid(extents, cuts);
            }};
}

Rule grid_rule(std::vector<std::int64_t> extents) {
    if (extents.empty()) throw InputError("an array of 0 dimensions cannot be cut");
    auto name = fmt::format("a grid over {}", fmt::join(extents, " x "));
    return {std::move(name), [extents = std::move(extents)](std::int64_t, int parts) {
                return Partition::grid(extents, balanced_grid(extents, parts));
            }};
}

std::vector<int> balanced_grid(const std::vector<std::int64_t>& extents, int parts) {
    BestGrid search{extents, {}};
    std::vector<int> tried;
    search.try_from(tried, parts);
    return search.best;
}

}  // namespace ductile::plan
