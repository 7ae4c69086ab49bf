#include "data/tight_move.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "data/departed_memory.hpp"
#include "data/max_of_all.hpp"

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

int slices_for(std::int64_t bytes, std::int64_t window) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    return static_cast<int>(std::clamp((bytes + window - 1) / window, std::int64_t{1}, most));
}

}  // namespace

Moved move_in_slices(const MoveOnce& move, const mpi::Comm& comm, Movement movement,
                     Progress& progress, std::int64_t window) {
    const int slices = max_of_all(comm, slices_for(bytes_of_new_parts(movement), window), progress);
    movement.plans = std::make_shared<const Plans>(
        plans_of(core::Rank{comm.rank()}, movement.parties, movement.arrays));
    DepartedMemory departed(movement.arrays);
    Moved all;
    std::int64_t arrived = 0;
    for (int index = 0; index < slices; ++index) {
        movement.slice = {index, slices};
        const auto moves = moves_of(comm, movement);
        arrived += bytes_that_come(moves);
        all.bytes_new = std::max(all.bytes_new, arrived - departed.bytes());
        all.bytes_sent += move(movement).bytes_sent;
        departed.add(moves.departed);
    }
    return all;
}

}  // namespace ductile::data
