// Data that the program moves itself, and what the broker is told.
#include "engine/program_moves.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include "expect.hpp"
#include "fake_channel.hpp"

namespace ductile::engine {
namespace {

/// All ranks but the last had the data, and all but the first will have it. A single rank had it
/// and will have it.
struct World {
    mpi::Comm comm = mpi::duplicate(MPI_COMM_WORLD);
    data::Parties parties;
    Schema schema;

    World() {
        const int size = comm.size();
        for (int rank = 0; rank < size; ++rank) {
            if (rank + 1 < size || size == 1) parties.sources.emplace_back(rank);
            if (rank > 0 || size == 1) parties.targets.emplace_back(rank);
        }
    }
    FakeChannel link;
    void move() {
        let_program_move(telling_moves(schema, link, core::TransactionId{3}), comm, parties);
    }
    /// What the broker was told, as text.
    [[nodiscard]] std::string told() {
        std::string all;
        for (const auto& said : link.take())
            all += std::get<wire::ProgramMoves>(said).on ? "on " : "off ";
        return all;
    }
    std::string failure() {
        try {
            move();
        } catch (const ProgramFailed& error) {
            return error.what();
        }
        return "";
    }
};

// Rank r of the job before gives its number to rank r of the job afterwards.
void pass_on(const DataMove& move, int& got) {
    std::vector<MPI_Request> requests;
    if (move.rank_before >= 0)
        MPI_Isend(&move.rank_before, 1, MPI_INT,
                  move.targets[static_cast<std::size_t>(move.rank_before)], 0, move.comm,
                  &requests.emplace_back());
    if (move.rank_after >= 0)
        MPI_Irecv(&got, 1, MPI_INT, move.sources[static_cast<std::size_t>(move.rank_after)], 0,
                  move.comm, &requests.emplace_back());
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void each_is_told_its_place() {
    World world;
    const bool alone = world.comm.size() == 1;
    int got = -1;
    world.schema.on_redistribute([&](const DataMove& move) {
        const bool last = move.rank + 1 == world.comm.size();
        expect(move.rank_before == (last && !alone ? -1 : move.rank), "its rank before");
        expect(move.rank_after == (alone ? 0 : move.rank - 1), "its rank afterwards");
        pass_on(move, got);
    });
    world.move();
    expect(world.told() == "on off ", "the broker hears how long it lasts");
    expect(got == (alone ? 0 : world.comm.rank() - 1), "the numbers go by rank in the job");
}

void what_is_thrown_is_said_to_be_the_programs() {
    World world;
    world.schema.on_redistribute([](const DataMove&) { throw std::runtime_error("no memory"); });
    expect(world.failure() == "the program's function that moves its own data failed: no memory",
           "what was thrown is said");
    World other;
    other.schema.on_redistribute([](const DataMove&) { throw 42; });
    expect(
        other.failure() ==
            "the program's function that moves its own data failed: an exception of unknown type",
        "whatever its type");
    expect(other.told() == "on off ", "the broker hears that it has ended");
}

void a_call_can_see_that_nobody_waits_for_it() {
    World world;
    data::Progress progress;
    std::vector<bool> seen;
    world.schema.on_redistribute([&](const DataMove&) {
        seen.push_back(program_move_is_abandoned());
        progress.abandon();
        seen.push_back(program_move_is_abandoned());
    });
    let_program_move(world.schema, world.comm, world.parties, &progress);
    expect(seen == std::vector<bool>{false, true}, "as soon as it is given up");
    expect(!program_move_is_abandoned(), "not outside of the call");
}

void nothing_is_done_where_nothing_is_asked_for() {
    World world;
    if (world.comm.rank() == 0) world.move();  // not collective then
    expect(world.told().empty(), "nothing is told");
}

}  // namespace
}  // namespace ductile::engine

int main(int argc, char** argv) {
    return ductile::engine::run_on_ranks(argc, argv, [] {
        ductile::engine::each_is_told_its_place();
        ductile::engine::what_is_thrown_is_said_to_be_the_programs();
        ductile::engine::a_call_can_see_that_nobody_waits_for_it();
        ductile::engine::nothing_is_done_where_nothing_is_asked_for();
    });
}
