// Vectors that old processes send and new ones receive, for any numbers of processes.
#include <cstdlib>
#include <limits>

#include "ductile/compat/dmr.h"
#include "job/dmr/pieces.hpp"
#include "job/or_abort.hpp"

namespace {

using ductile::or_abort;
using ductile::Range;
using ductile::dmr::blocks;
using ductile::dmr::consecutive;
using ductile::dmr::shared_pieces;
using ductile::mpi::check;

constexpr int tag = 0x0d6d;
using Counts = std::vector<std::int64_t>;

int size_of(MPI_Comm comm) {
    int size = 0;
    check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    return size;
}

int rank_of(MPI_Comm comm) {
    int rank = 0;
    check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    return rank;
}

int others_of(MPI_Comm intercomm) {
    if (intercomm == MPI_COMM_NULL)
        throw ductile::UsageError(
            "the intercommunicator is MPI_COMM_NULL: call this function only during a "
            "redistribution, with the back end dmrlib");
    int size = 0;
    check(MPI_Comm_remote_size(intercomm, &size), "MPI_Comm_remote_size");
    return size;
}

/// Gathers `mine` of all `processes` processes of a communicator. For an intercommunicator these
/// are the processes of the other side.
Counts gather(int mine, int processes, MPI_Comm comm) {
    std::vector<int> all(static_cast<std::size_t>(processes));
    check(MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, comm), "MPI_Allgather");
    return {all.begin(), all.end()};
}

Counts exchange_counts(int mine, MPI_Comm intercomm) {
    return gather(mine, others_of(intercomm), intercomm);
}

const Range& of_this_process(const std::vector<Range>& ranges) {
    return ranges.at(static_cast<std::size_t>(rank_of(MPI_COMM_WORLD)));
}

void send(const double* data, int size, MPI_Comm intercomm) {
    if (size < 0 || (data == nullptr && size > 0))
        throw ductile::InputError(
            "a vector of " + std::to_string(size) +
            " elements is refused: its size is negative, or its data is NULL");
    exchange_counts(size, intercomm);
    const auto here = consecutive(gather(size, size_of(MPI_COMM_WORLD), MPI_COMM_WORLD));
    const auto& mine = of_this_process(here);
    for (const auto& [peer, elements] :
         shared_pieces(mine, blocks(here.back().end, others_of(intercomm))))
        check(MPI_Send(data + (elements.begin - mine.begin), static_cast<int>(elements.count()),
                       MPI_DOUBLE, peer, tag, intercomm),
              "MPI_Send");
}

void receive(double** data, int* size, MPI_Comm intercomm) {
    const auto there = consecutive(exchange_counts(0, intercomm));
    const auto mine = of_this_process(blocks(there.back().end, size_of(MPI_COMM_WORLD)));
    if (mine.count() > std::numeric_limits<int>::max())
        throw ductile::InputError("a process would have " + std::to_string(mine.count()) +
                                  " elements, more than an int can count");
    *size = static_cast<int>(mine.count());
    const auto bytes = sizeof(double) * (static_cast<std::size_t>(*size) + 1);
    // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): programs of DMR free by free()
    *data = static_cast<double*>(std::malloc(bytes));
    if (*data == nullptr) throw ductile::SystemError("cannot allocate memory for a vector");
    for (const auto& [peer, elements] : shared_pieces(mine, there))
        check(MPI_Recv(*data + (elements.begin - mine.begin), static_cast<int>(elements.count()),
                       MPI_DOUBLE, peer, tag, intercomm, MPI_STATUS_IGNORE),
              "MPI_Recv");
}

}  // namespace

void DMR_Send_expand(double* data, int size, MPI_Comm intercomm) {
    or_abort("DMR_Send_expand", [&] { send(data, size, intercomm); });
}

void DMR_Recv_expand(double** data, int* size, MPI_Comm intercomm) {
    or_abort("DMR_Recv_expand", [&] { receive(data, size, intercomm); });
}

void DMR_Send_shrink(double* data, int size, MPI_Comm intercomm) {
    or_abort("DMR_Send_shrink", [&] { send(data, size, intercomm); });
}

void DMR_Recv_shrink(double** data, int* size, MPI_Comm intercomm) {
    or_abort("DMR_Recv_shrink", [&] { receive(data, size, intercomm); });
}
