// Checks that data has arrived as it was sent. Each source sums up the data that each target will
// get from it or keep. The sums move like records. Each target sums up the data that it has.
#pragma once

#include "data/redistribution.hpp"

namespace ductile::data {

/// The sum of a range of elements that a source had and a target will have. Also for data that
/// stays.
struct Sum {
    std::int64_t array = 0;  ///< its index in the movement
    std::int64_t begin = 0;
    std::int64_t count = 0;
    std::uint64_t sum = 0;
};

/// The sums of all data that this rank gives, as a movement. Reads its old parts.
Movement sums_to_move(core::Rank me, const Movement& movement);

/// Throws SystemError that names array, ranks and range if the new parts of this rank differ from
/// the sums of the sources. `sums` must have moved.
void expect_sums(core::Rank me, const Movement& movement, const Movement& sums);

}  // namespace ductile::data
