// Which rank sends which elements to which rank when a distributed array changes hands.
#pragma once

#include <cstdint>
#include <vector>

#include "core/ids.hpp"
#include "plan/partition.hpp"

namespace ductile::plan {

/// A global range of elements on its way. Ranks are those of one communicator that holds sources
/// and targets.
struct Transfer {
    core::Rank source;
    core::Rank target;
    std::int64_t begin = 0;
    std::int64_t count = 0;
    bool operator==(const Transfer&) const = default;
};

/// Both lists by rising `begin`, no entry empty. Together they cover every element exactly once.
struct TransferPlan {
    std::vector<Transfer> sent;
    std::vector<Transfer> kept;  ///< source == target: moved within the rank, never sent
    bool operator==(const TransferPlan&) const = default;
};

/// The whole plan. `from_at[i]` is the common rank that holds old part i, `to_at[j]` the one that
/// will hold new part j; no rank is in a list twice. Minimal: what is sent is what a target gets
/// and did not hold, once, and what stays on a rank is only `kept`. An entry is as long as source
/// and target stay the same; of blocks each pair of ranks has one at most. Throws
/// std::invalid_argument when the numbers of elements differ, a list's length is not the number of
/// parts, or a rank is there twice.
///
/// Example: 10 elements from 2 blocks on ranks {0, 1} to 4 on {0, 1, 2, 3}:
///   kept 0: [0,3)   sent 0->1: [3,5)   kept 1: [5,6)   sent 1->2: [6,8)   sent 1->3: [8,10)
TransferPlan plan_transfer(const Partition& from, const std::vector<core::Rank>& from_at,
                           const Partition& to, const std::vector<core::Rank>& to_at);

/// What one rank sends, receives and keeps: the entries of the whole plan that name the rank, in
/// the same order, in time n log n of their number n (and of the ranges that were listed), but for
/// a look at the lists. That no rank is there twice is taken on trust here; debug builds assert it.
TransferPlan plan_transfer_of(core::Rank rank, const Partition& from,
                              const std::vector<core::Rank>& from_at, const Partition& to,
                              const std::vector<core::Rank>& to_at);

/// Whether every element is moved or kept exactly once and comes from its old owner to its new one.
bool moves_each_once(const TransferPlan& plan, const Partition& from,
                     const std::vector<core::Rank>& from_at, const Partition& to,
                     const std::vector<core::Rank>& to_at);

}  // namespace ductile::plan
