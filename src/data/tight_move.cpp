#include "data/tight_move.hpp"

#include <algorithm>
#include <limits>

#include "data/departed_memory.hpp"
#include "mpi/check.hpp"
#include "mpi/wait_asleep.hpp"

namespace ductile::data {

namespace {

std::int64_t bytes_of_new_parts(const Movement& movement) {
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < movement.arrays.size(); ++i)
        if (const auto& part = movement.new_parts[i]; part.partition)
            bytes += bytes_of(movement.arrays[i].spec, part, 0, part.count);
    return bytes;
}

std::int64_t bytes_that_come(const LocalMoves& moves) {
    std::int64_t bytes = 0;
    for (const auto& packet : moves.received) bytes += packet.bytes;
    for (const auto& kept : moves.kept) bytes += static_cast<std::int64_t>(kept.bytes);
    return bytes;
}

// The most that any rank needs.
int agreed_slices(const mpi::Comm& comm, std::int64_t bytes, std::int64_t window,
                  Progress& progress) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    const int mine =
        static_cast<int>(std::clamp((bytes + window - 1) / window, std::int64_t{1}, most));
    int all = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_MAX, comm.get(), &request),
               "MPI_Iallreduce");
    mpi::wait_asleep(request, "MPI_Iallreduce");
    progress.step();
    return all;
}

}  // namespace

Moved move_in_slices(const MoveOnce& move, const mpi::Comm& comm, Movement movement,
                     Progress& progress, std::int64_t window) {
    const int slices = agreed_slices(comm, bytes_of_new_parts(movement), window, progress);
    DepartedMemory departed(movement.arrays);
    Moved all;
    std::int64_t arrived = 0;
    for (int index = 0; index < slices; ++index) {
        movement.slice = {index, slices};
        const auto moves = moves_of(comm, movement);
        arrived += bytes_that_come(moves);
        all.bytes_new = std::max(all.bytes_new, arrived - departed.bytes());
        all.bytes_sent += move(movement).bytes_sent;
        departed.add(moves);
        departed.give_back();
    }
    return all;
}

}  // namespace ductile::data
