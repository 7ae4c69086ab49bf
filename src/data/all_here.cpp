#include "data/all_here.hpp"

namespace ductile::data {

// Of one number, like those by which MPI_Comm_dup agrees on a context: the pairs that speak here
// have connections from the join.
void AllHere::begin(const mpi::Comm& comm, std::int64_t mine, PendingRequests& requests) {
    mine_ = mine;
    mpi::check(
        MPI_Iallreduce(&mine_, &largest_, 1, MPI_INT64_T, MPI_MAX, comm.get(), requests.add()),
        "MPI_Iallreduce");
}

}  // namespace ductile::data
