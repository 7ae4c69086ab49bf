/// \file
/// The host on which a rank of a job is.
#pragma once

namespace ductile {

struct RankHost {
    int host = 0;   ///< its number in the job, which no other host gets
    int slots = 0;  ///< of the host, as `ductile run` knows them
    int ranks = 0;  ///< of the job on the host, this one included
    bool operator==(const RankHost&) const = default;
};

}  // namespace ductile
