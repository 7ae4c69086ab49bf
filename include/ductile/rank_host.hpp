/// \file
/// The host on which a rank of a job runs.
#pragma once

namespace ductile {

/// The host of one rank, in the result of Job::hosts().
struct RankHost {
    int host = 0;   ///< the number of the host, which no other host of the job gets
    int slots = 0;  ///< the slots of the host, as `ductile run` knows them
    int ranks = 0;  ///< the ranks of the job on the host, with this rank
    /// The number of the rank on its host, which no other living process of the job has there; -1
    /// if a launcher starts the ranks (Open MPI), and without `ductile run`. It never changes.
    /// Also -1 in what a function for weights gets.
    int local_rank = -1;
    /// Whether all numbers are the same.
    bool operator==(const RankHost&) const = default;
};

}  // namespace ductile
