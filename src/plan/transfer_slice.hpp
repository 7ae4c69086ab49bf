// A transfer plan in pieces that are carried out one after the other.
#pragma once

#include "plan/transfer_plan.hpp"

namespace ductile::plan {

/// Piece `index` of `of`.
struct Slice {
    int index = 0;
    int of = 1;
    bool operator==(const Slice&) const = default;
};

/// What one rank does in a slice. Each slice has the same share, to an element, of what it
/// exchanges with each other rank, and of what it keeps, in the order of the plan; so both ranks of
/// a pair cut at the same element. `mine` is plan_transfer_of(). Preconditions: 0 <= index < of.
TransferPlan slice_of(const TransferPlan& mine, Slice slice);

}  // namespace ductile::plan
