#include "engine/vote.hpp"

#include <array>
#include <limits>

#include "mpi/wait_asleep.hpp"

namespace ductile::engine {

Tally cast_vote(const mpi::Comm& vote, const Ballot& ballot) {
    const std::int64_t transaction = ballot.transaction.value;
    constexpr auto none = std::numeric_limits<std::int64_t>::min();
    const auto& print = ballot.fingerprint;
    // One MAX gives the largest value and, by the negated entries, the smallest.
    const std::array<std::int64_t, 8> mine{
        transaction,        -transaction,         ballot.point,          -ballot.point,
        ballot.yes ? 0 : 1, ballot.early ? 1 : 0, print ? *print : none, print ? -*print : none};
    std::array<std::int64_t, 8> all{};
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(MPI_Iallreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_INT64_T,
                              MPI_MAX, vote.get(), &request),
               "MPI_Iallreduce");
    mpi::wait_asleep(request, "MPI_Iallreduce");
    const bool same = all[0] == -all[1] && all[2] == -all[3];
    const bool early = all[5] != 0;
    const bool differ = all[6] != none && all[6] != -all[7];
    return {same && all[4] == 0 && !early && !differ, early, same && !early && differ};
}

}  // namespace ductile::engine
