// Who holds which parts of the distributed arrays before and after a resize.
#pragma once

#include <vector>

#include "core/ids.hpp"
#include "core/layout.hpp"
#include "data/block.hpp"
#include "plan/partition.hpp"

namespace ductile::data {

/// Who holds the parts before and after, as ranks of the communicator over which they move, in the
/// order of the parts. The sources rise.
struct Parties {
    std::vector<core::Rank> sources;
    std::vector<core::Rank> targets;
};

/// Ranks that hold the arrays before and after a resize, and where they are, if rules by hosts are
/// to be asked.
struct PartCounts {
    int before = 0;
    int after = 0;
    const core::Layout* layout_before = nullptr;
    const core::Layout* layout_after = nullptr;
};

/// What a redistribution moved on this rank.
struct Moved {
    std::int64_t bytes_sent = 0;
    std::int64_t bytes_new = 0;  ///< allocated for new parts: the peak of extra memory
    Moved& operator+=(const Moved& more) {
        bytes_sent += more.bytes_sent, bytes_new += more.bytes_new;
        return *this;
    }
    bool operator==(const Moved&) const = default;
};

using SharedPartition = std::shared_ptr<const plan::Partition>;

/// One array to move: its spec, this rank's old part (none on a rank that held none), who held what
/// and who will.
struct Outgoing {
    ArraySpec spec;
    Block old_part;
    SharedPartition before;
    SharedPartition after;
    Home home = nullptr;  ///< of old parts and new ones
};

/// Memory for this rank's new parts, in the order of `arrays`; blocks without memory on a rank that
/// is no target. Local: made before anything moves, so that
/// a lack of memory is known while the job can still go on as it is. Throws what make_block throws.
std::vector<Block> allocate_parts(core::Rank me, const Parties& parties,
                                  const std::vector<Outgoing>& arrays);

}  // namespace ductile::data
