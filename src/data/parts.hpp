// Which ranks hold which parts of the distributed arrays before and after a resize.
#pragma once

#include <vector>

#include "core/ids.hpp"
#include "core/layout.hpp"
#include "data/block.hpp"
#include "plan/partition.hpp"

namespace ductile::data {

/// The ranks that hold the parts before and after, in the order of the parts. They are ranks of the
/// communicator over which the parts move. `sources` is in ascending order.
struct Parties {
    std::vector<core::Rank> sources;
    std::vector<core::Rank> targets;
};

/// The numbers of ranks that hold the arrays before and after a resize. The layouts are for rules
/// that depend on hosts.
struct PartCounts {
    int before = 0;
    int after = 0;
    const core::Layout* layout_before = nullptr;
    const core::Layout* layout_after = nullptr;
};

/// What a redistribution moved on this rank.
struct Moved {
    std::int64_t bytes_sent = 0;
    /// The peak of extra memory. With plan::Memory::keep: the size of the new parts. With `tight`:
    /// the largest difference between new data that has arrived and old data that has departed.
    std::int64_t bytes_new = 0;
    Moved& operator+=(const Moved& more) {
        bytes_sent += more.bytes_sent, bytes_new += more.bytes_new;
        return *this;
    }
    bool operator==(const Moved&) const = default;
};

using SharedPartition = std::shared_ptr<const plan::Partition>;

/// One array to move: its spec, the old part of this rank (none on a rank that held none), and the
/// partitions before and after.
struct Outgoing {
    ArraySpec spec;
    Block old_part;
    SharedPartition before;
    SharedPartition after;
    Home home = nullptr;  ///< of old and new parts
};

/// Memory for this rank's new parts, in the order of `arrays`. On a rank that is no target: blocks
/// without memory. Local. Called before anything moves, so that a lack of memory is known while the
/// job can still continue as before. Throws what make_block throws.
std::vector<Block> allocate_parts(core::Rank me, const Parties& parties,
                                  const std::vector<Outgoing>& arrays);

}  // namespace ductile::data
