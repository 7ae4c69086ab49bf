// Whether data have arrived as they were sent: each source sums up what each target is to hold of
// it, the sums move like records, and each target sums up what it holds.
#pragma once

#include "data/redistribution.hpp"

namespace ductile::data {

/// Of a range of elements that a source had and a target is to have; kept ones, too.
struct Sum {
    std::int64_t array = 0;  ///< its place in the movement
    std::int64_t begin = 0;
    std::int64_t count = 0;
    std::uint64_t sum = 0;
};

/// The sums of all that this rank gives, to be moved. Reads its old parts.
Movement sums_to_move(core::Rank me, const Movement& movement);

/// Throws SystemError that names array, ranks and range where the rank's new parts are not what the
/// sources have summed up. `sums` has been moved.
void expect_sums(core::Rank me, const Movement& movement, const Movement& sums);

}  // namespace ductile::data
