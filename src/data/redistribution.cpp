#include "data/redistribution.hpp"

#include <mutex>
#include <utility>
#include <vector>

#include "core/contract.hpp"
#include "data/redistribute_alltoallv.hpp"
#include "data/redistribute_p2p.hpp"
#include "data/redistribute_rma.hpp"
#include "data/staging.hpp"
#include "data/sums.hpp"
#include "data/tight_move.hpp"
#include "data/two_steps.hpp"

namespace ductile::data {

namespace {

// A transfer that is given up cannot be cancelled after its start: MPI may read and write its
// memory until the process ends.
void keep_for_good(std::shared_ptr<Mover> mover) {
    static std::mutex mutex;
    static auto& kept = *new std::vector<std::shared_ptr<Mover>>;
    const std::lock_guard lock(mutex);
    kept.push_back(std::move(mover));
}

// Each way to move data has its own file redistribute_*.cpp, and is chosen here.
std::unique_ptr<Mover> make_mover(plan::Executor executor, MoverInputs inputs) {
    DUCTILE_EXPECT(executor != plan::Executor::automatic);
    switch (executor) {
        case plan::Executor::alltoallv:
            return make_alltoallv_mover(std::move(inputs));
        case plan::Executor::rma_lock:
            return make_rma_lock_mover(std::move(inputs));
        case plan::Executor::rma_lockall:
            return make_rma_lockall_mover(std::move(inputs));
        case plan::Executor::p2p:
        case plan::Executor::automatic:
            break;
    }
    return make_p2p_mover(std::move(inputs));
}

}  // namespace

template <class Work>
auto Redistribution::or_abandon(Work work) {
    try {
        return work();
    } catch (...) {
        abandon();
        throw;
    }
}

void Redistribution::start() {
    phase_ = Phase::moving;
    or_abandon([this] { mover_->start(); });
}

bool Redistribution::test() {
    return or_abandon([this] { return mover_->advance([] { return true; }); });
}

Moved Redistribution::finish() {
    or_abandon([this] {
        if (!mover_->advance([this] { return progress_.abandoned(); })) throw Abandoned();
    });
    phase_ = Phase::over;
    return mover_->moved();
}

void Redistribution::abandon() noexcept {
    if (std::exchange(phase_, Phase::over) == Phase::moving) keep_for_good(mover_);
}

Redistribution make_redistribution(plan::Executor executor, const mpi::Comm& comm,
                                   Movement movement, Progress& progress) {
    return {make_mover(executor, {comm, std::move(movement), progress}), progress};
}

namespace {

Moved move_at_once(plan::Executor executor, const mpi::Comm& comm, Movement movement,
                   Progress& progress) {
    auto redistribution = make_redistribution(executor, comm, std::move(movement), progress);
    redistribution.start();
    return redistribution.finish();
}

Moved move(plan::Executor executor, const mpi::Comm& comm, Movement movement, Progress& progress) {
    if (movement.memory == plan::Memory::keep)
        return move_at_once(executor, comm, std::move(movement), progress);
    const auto once = [&](const Movement& slice) {
        return move_at_once(executor, comm, slice, progress);
    };
    return move_in_slices(once, comm, std::move(movement), progress);
}

Moved move_all(plan::Executor executor, const mpi::Comm& comm, const Movement& movement,
               Progress& progress) {
    const auto first = first_step(movement);
    auto moved = move(executor, comm, first, progress);
    auto second = second_step(movement, first);
    if (!second.arrays.empty()) moved += move(executor, comm, std::move(second), progress);
    return moved;
}

Moved move_in_place(plan::Executor executor, const mpi::Comm& comm, const Movement& movement,
                    Progress& progress) {
    if (!movement.verify) return move_all(executor, comm, movement, progress);
    const core::Rank me{comm.rank()};
    const auto sums = sums_to_move(me, movement);
    const auto moved = move_all(executor, comm, movement, progress);
    move_all(plan::Executor::p2p, comm, sums, progress);
    expect_sums(me, movement, sums);
    return moved;
}

Moved move_staged(plan::Executor executor, const mpi::Comm& comm, const Movement& movement,
                  Progress& progress) {
    if (!has_staged_parts(movement)) return move_in_place(executor, comm, movement, progress);
    const auto stage = staged(movement);
    const auto moved = move_in_place(executor, comm, stage, progress);
    take_from_stage(stage, movement);
    return moved;
}

}  // namespace

Moved redistribute(plan::Executor executor, const mpi::Comm& comm, const Movement& movement,
                   Progress& progress) {
    Moved moved;
    for (const auto& part : by_memory(movement))
        moved += move_staged(executor, comm, part, progress);
    return moved;
}

}  // namespace ductile::data
