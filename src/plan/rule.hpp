// Distribution rules. A rule gives a partition of an array for any number of parts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/layout.hpp"
#include "ductile/rank_host.hpp"
#include "plan/partition.hpp"

namespace ductile::plan {

/// Two rules with the same name count as the same rule. The name of a rule with a function does not
/// identify the function, so its results are compared where this matters.
class Rule {
  public:
    using Function = std::function<Partition(std::int64_t elements, int parts)>;
    /// Uses the hosts of the ranks that hold the parts.
    using OnHosts = std::function<Partition(std::int64_t elements, const std::vector<RankHost>&)>;

    /// Blocks whose sizes differ by one element at most.
    Rule();
    Rule(std::string name, Function partition)
        : name_(std::move(name)), partition_(std::move(partition)) {}
    Rule(std::string name, OnHosts partition)
        : name_(std::move(name)), on_hosts_(std::move(partition)) {}

    /// "blocks", "blocks of 3 in turn", "dimension 1 of 20 x 30".
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] bool is_blocks() const { return partition_ == nullptr && on_hosts_ == nullptr; }
    /// Whether the partition depends on the hosts of the ranks. Then two partitions with the same
    /// number of parts may differ.
    [[nodiscard]] bool goes_by_hosts() const { return on_hosts_ != nullptr; }
    /// The partition of an array. A rule that goes by hosts needs `ranks`, a layout of `parts`
    /// ranks. Throws what the rule's function throws. Throws InputError if the rule is for arrays
    /// of another size, or if it needs a layout and `ranks` is null or has another number of ranks.
    [[nodiscard]] Partition partition(std::int64_t elements, int parts,
                                      const core::Layout* ranks = nullptr) const;

  private:
    std::string name_;
    Function partition_;  ///< both null: blocks
    OnHosts on_hosts_;
};

/// The hosts of the ranks of a job, by rank. If the number of slots of a host is unknown, the host
/// is taken to have as many slots as ranks.
std::vector<RankHost> hosts_of_ranks(const core::Layout& layout);

/// Blocks of `block` elements, dealt out in turn. Throws InputError if `block` is below 1.
Rule cyclic_rule(std::int64_t block);
/// Blocks whose sizes are proportional to the weights that `weights` returns for the parts.
Rule weighted_rule(std::function<std::vector<std::int64_t>(int parts)> weights);
/// The same; the function gets the hosts of the ranks.
Rule host_weighted_rule(std::function<std::vector<std::int64_t>(const std::vector<RankHost>&)>);
/// The same; the weight of a rank is its share of the slots of its host.
Rule slots_rule();
/// Consecutive blocks of about equal weight. `weight_before(i)`: the weight of the elements before
/// element i, 0 <= i <= elements; it rises from 0. Part p begins at the first element that has the
/// share of p parts, or more, before it. So no part has more than its share plus one element. If
/// the total weight is 0, the blocks are equal.
Rule balanced_rule(std::function<std::int64_t(std::int64_t element)> weight_before);
/// Part `part` of `parts` holds the ranges that `ranges` returns.
Rule listed_rule(std::function<std::vector<Range>(int parts, int part)> ranges);
/// A row-major array, cut into blocks along one dimension. Throws InputError if there is no such
/// dimension.
Rule dimension_rule(std::vector<std::int64_t> extents, int dimension);
/// A row-major array, cut into blocks along all dimensions, as balanced_grid() chooses.
Rule grid_rule(std::vector<std::int64_t> extents);

/// The number of parts along each dimension, `parts` in all. Chooses the grid whose largest block
/// has the least surface: the fewest elements next to another block. If several have the same
/// surface, chooses the one with the largest first number, then second number, and so on.
///
/// Example: 100 x 100 in 6 parts: 3 x 2. 1000 x 10 in 6 parts: 6 x 1.
std::vector<int> balanced_grid(const std::vector<std::int64_t>& extents, int parts);

}  // namespace ductile::plan
