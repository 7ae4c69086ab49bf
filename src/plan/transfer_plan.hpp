// Which rank sends which elements to which rank when the owners of a distributed array change.
#pragma once

#include <cstdint>
#include <vector>

#include "core/ids.hpp"
#include "plan/partition.hpp"

namespace ductile::plan {

/// A global range of elements that moves. The ranks are ranks of one communicator that holds
/// sources and targets.
struct Transfer {
    core::Rank source;
    core::Rank target;
    std::int64_t begin = 0;
    std::int64_t count = 0;
    bool operator==(const Transfer&) const = default;
};

/// Both lists are sorted by `begin`, and no entry is empty. Together they cover every element
/// exactly once.
struct TransferPlan {
    std::vector<Transfer> sent;
    std::vector<Transfer> kept;  ///< source == target: moved within the rank, never sent
    bool operator==(const TransferPlan&) const = default;
};

/// The whole plan. `from_at[i]` is the rank, in the common communicator, that holds old part i.
/// `to_at[j]` is the rank that will hold new part j. No rank is twice in a list. The plan is
/// minimal: `sent` has exactly once what a target gets and does not hold yet; what stays on a rank
/// is only in `kept`. An entry is as long as possible for its source and target, so with blocks
/// each pair of ranks has at most one entry. Throws std::invalid_argument if the numbers of
/// elements differ, if the length of a list is not the number of parts, or if a rank is twice in a
/// list.
///
/// Example: 10 elements from 2 blocks on ranks {0, 1} to 4 on {0, 1, 2, 3}:
///   kept 0: [0,3)   sent 0->1: [3,5)   kept 1: [5,6)   sent 1->2: [6,8)   sent 1->3: [8,10)
TransferPlan plan_transfer(const Partition& from, const std::vector<core::Rank>& from_at,
                           const Partition& to, const std::vector<core::Rank>& to_at);

/// What one rank sends, receives and keeps: the entries of the whole plan that name the rank, in
/// the same order. Takes time n log n in the number n of these entries (and of listed ranges), and
/// reads the lists once. Precondition: no rank is twice in a list. Only debug builds assert this.
TransferPlan plan_transfer_of(core::Rank rank, const Partition& from,
                              const std::vector<core::Rank>& from_at, const Partition& to,
                              const std::vector<core::Rank>& to_at);

/// Whether every element is moved or kept exactly once, and goes from its old owner to its new
/// owner.
bool moves_each_once(const TransferPlan& plan, const Partition& from,
                     const std::vector<core::Rank>& from_at, const Partition& to,
                     const std::vector<core::Rank>& to_at);

}  // namespace ductile::plan
