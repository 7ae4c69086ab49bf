#include "engine/vote.hpp"

#include <array>

#include "mpi/wait_asleep.hpp"

namespace ductile::engine {

Tally cast_vote(const mpi::Comm& vote, const Ballot& ballot) {
    const std::int64_t transaction = ballot.transaction.value;
    // One MAX tells the largest and, by the negated entries, the smallest.
    const std::array<std::int64_t, 6> mine{transaction,   -transaction,       ballot.point,
                                           -ballot.point, ballot.yes ? 0 : 1, ballot.early ? 1 : 0};
    std::array<std::int64_t, 6> all{};
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(MPI_Iallreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_INT64_T,
                              MPI_MAX, vote.get(), &request),
               "MPI_Iallreduce");
    mpi::wait_asleep(request, "MPI_Iallreduce");
    const bool same = all[0] == -all[1] && all[2] == -all[3];
    return {same && all[4] == 0 && all[5] == 0, all[5] != 0};
}

}  // namespace ductile::engine
