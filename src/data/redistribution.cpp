#include "data/redistribution.hpp"

#include <utility>

#include "data/redistribute_p2p.hpp"
#include "data/sums.hpp"
#include "data/two_steps.hpp"

namespace ductile::data {

// A further way to move data is a file like redistribute_p2p.cpp, and is chosen here.
std::unique_ptr<Redistribution> make_redistribution(const mpi::Comm& comm, Movement movement,
                                                    Progress& progress) {
    return make_p2p_redistribution(comm, std::move(movement), progress);
}

namespace {

Moved move(const mpi::Comm& comm, Movement movement, Progress& progress) {
    const auto redistribution = make_redistribution(comm, std::move(movement), progress);
    redistribution->start();
    return redistribution->finish();
}

}  // namespace

namespace {

Moved move_all(const mpi::Comm& comm, const Movement& movement, Progress& progress) {
    const auto first = first_step(movement);
    auto moved = move(comm, first, progress);
    auto second = second_step(movement, first);
    if (!second.arrays.empty()) moved += move(comm, std::move(second), progress);
    return moved;
}

}  // namespace

Moved redistribute(const mpi::Comm& comm, const Movement& movement, Progress& progress) {
    if (!movement.verify) return move_all(comm, movement, progress);
    const core::Rank me{comm.rank()};
    const auto sums = sums_to_move(me, movement);
    const auto moved = move_all(comm, movement, progress);
    move_all(comm, sums, progress);
    expect_sums(me, movement, sums);
    return moved;
}

}  // namespace ductile::data
