// Rules of distribution: a partition of an array for any number of parts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/layout.hpp"
#include "ductile/rank_host.hpp"
#include "plan/partition.hpp"

namespace ductile::plan {

/// Two rules with the same name are taken for the same: a rule of a function is known by the fact
/// that it is one, and what it gives is compared where it matters.
class Rule {
  public:
    using Function = std::function<Partition(std::int64_t elements, int parts)>;
    /// By where the ranks are that hold the parts.
    using OnHosts = std::function<Partition(std::int64_t elements, const std::vector<RankHost>&)>;

    /// Blocks that differ by one element at most.
    Rule();
    Rule(std::string name, Function partition)
        : name_(std::move(name)), partition_(std::move(partition)) {}
    Rule(std::string name, OnHosts partition)
        : name_(std::move(name)), on_hosts_(std::move(partition)) {}

    /// "blocks", "blocks of 3 in turn", "dimension 1 of 20 x 30".
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] bool is_blocks() const { return partition_ == nullptr && on_hosts_ == nullptr; }
    /// Whether partitions over as many parts may differ.
    [[nodiscard]] bool goes_by_hosts() const { return on_hosts_ != nullptr; }
    /// `ranks`, of as many ranks, is needed by a rule that goes by hosts. Throws what the rule's
    /// function throws, and InputError when the rule is one of arrays of another size, or there is
    /// no layout that it needs.
    [[nodiscard]] Partition partition(std::int64_t elements, int parts,
                                      const core::Layout* ranks = nullptr) const;

  private:
    std::string name_;
    Function partition_;  ///< both null: blocks
    OnHosts on_hosts_;
};

/// Where the ranks of a job are, by rank. A host whose slots are not known has as many as ranks.
std::vector<RankHost> hosts_of_ranks(const core::Layout& layout);

/// Blocks of `block` elements, dealt out in turn. Throws InputError when it is below 1.
Rule cyclic_rule(std::int64_t block);
/// Blocks as large as `weights` says of each of so many parts, in relation to the others.
Rule weighted_rule(std::function<std::vector<std::int64_t>(int parts)> weights);
/// The same by the hosts on which the ranks are.
Rule host_weighted_rule(std::function<std::vector<std::int64_t>(const std::vector<RankHost>&)>);
/// The same, each rank's weight being its share of the slots of its host.
Rule slots_rule();
/// Consecutive blocks of about equal weight. `weight_before(i)`: the weight of the elements before
/// element i, 0 <= i <= elements; it rises from 0. Part p begins at the first element with p parts'
/// share before it or more, so no part has more than a share and one element. Without any weight:
/// equal blocks.
Rule balanced_rule(std::function<std::int64_t(std::int64_t element)> weight_before);
/// The ranges that `ranges` says of each part.
Rule listed_rule(std::function<std::vector<Range>(int parts, int part)> ranges);
/// A row-major array, cut in blocks along one dimension. Throws InputError when there is no such
/// dimension.
Rule dimension_rule(std::vector<std::int64_t> extents, int dimension);
/// A row-major array, cut in blocks along all dimensions, as balanced_grid says.
Rule grid_rule(std::vector<std::int64_t> extents);

/// Parts along each dimension, `parts` in all: of all ways the one whose largest block has the
/// least surface, that is elements next to another block; of those the first in the order of the
/// numbers, larger ones first.
///
/// Example: 100 x 100 in 6 parts: 3 x 2. 1000 x 10 in 6 parts: 6 x 1.
std::vector<int> balanced_grid(const std::vector<std::int64_t>& extents, int parts);

}  // namespace ductile::plan
