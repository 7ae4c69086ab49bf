// Sources and newcomers become one communicator: step by step, and by an attempt of the sources.
// Both are ranks of one MPI_COMM_WORLD here. Each number of sources is tried.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <string>
#include <thread>

#include "data/max_of_all.hpp"
#include "data/redistribution.hpp"
#include "engine/background_join.hpp"
#include "engine/expand_attempt.hpp"
#include "engine/mpi_join_steps.hpp"
#include "engine/switch_tags.hpp"
#include "expect.hpp"
#include "fake_channel.hpp"

namespace ductile::engine {
namespace {

using namespace std::chrono_literals;
using core::Rank;

constexpr std::int64_t elements = 1000;
const data::ArraySpec spec{"a", "int", 1, sizeof(int), elements};

/// Ranks 0 to `sources` - 1 of the world play the sources, the other ranks play the newcomers.
struct World {
    int sources, size, rank;
    bool is_newcomer;
    JoinSide side;

    /// `leader`: the rank of the newcomers' leader among the newcomers.
    World(int of_sources, int leader) : sources(of_sources) {
        auto world = mpi::duplicate(MPI_COMM_WORLD);
        size = world.size();
        rank = world.rank();
        is_newcomer = rank >= sources;
        const int in_side = is_newcomer ? rank - sources : rank;
        side.local = mpi::share(world.split(is_newcomer ? 1 : 0, in_side));
        side.leader = is_newcomer ? leader : 0;
        side.newcomers = is_newcomer;
        const bool leads = in_side == side.leader;
        auto bridge = world.split(leads ? 0 : MPI_UNDEFINED, rank);
        if (leads) side.bridge = mpi::share(std::move(bridge));
        std::vector<core::RankRange> everybody{
            {core::GroupId{0}, core::HostIndex{0}, Rank{0}, size}};
        side.partners = partners_beyond(everybody, sources, Rank{rank});
    }
    [[nodiscard]] int newcomers() const { return size - sources; }
};

/// The targets: the sources that stay, then all newcomers.
std::vector<Rank> with_newcomers(const World& world, std::vector<Rank> staying) {
    for (int rank = world.sources; rank < world.size; ++rank) staying.emplace_back(rank);
    return staying;
}

/// The targets, with newcomers between the sources.
std::vector<Rank> interleaved(const World& world) {
    std::vector<Rank> targets;
    for (int i = 0; i < std::max(world.sources, world.newcomers()); ++i) {
        if (i < world.sources) targets.emplace_back(i);
        if (i < world.newcomers()) targets.emplace_back(world.sources + i);
    }
    return targets;
}

/// The targets of several resizes: all sources stay, only the first one stays, none stays, or
/// newcomers come between the sources.
std::vector<std::vector<Rank>> targets_after(const World& world) {
    std::vector<std::vector<Rank>> all{with_newcomers(world, first_ranks(world.sources)),
                                       with_newcomers(world, {}), interleaved(world)};
    if (world.sources > 1) all.push_back(with_newcomers(world, {Rank{0}}));
    return all;
}

JoinState state_with(std::vector<Rank> targets, std::size_t bytes) {
    JoinState state;
    state.point = 17;
    state.targets = std::move(targets);
    state.packed = std::string(bytes, 'x');
    return state;
}

bool are_there(const MemberComms& comms, int size, int rank) {
    return comms.job && comms.vote && comms.switching && comms.job->size() == size &&
           comms.vote->size() == size && comms.switching->size() == size &&
           comms.job->rank() == rank;
}

JoinedSides join_sides(const JoinSide& side, const std::string& state, data::Progress& progress,
                       const OwnPart& own = {}) {
    return exchange_state(connect_sides(side, progress), state, progress, own);
}

void joins(const World& world, const std::vector<Rank>& targets, std::size_t bytes) {
    data::Progress progress;
    handshake(world.side, progress);
    const auto packed = pack_join_state(state_with(targets, bytes));
    const auto joined = join_sides(world.side, world.rank == 0 ? packed : "", progress);
    expect(are_there(joined.comms, world.size, world.rank), "sources come first, then newcomers");
    expect(joined.state == packed, "all have rank 0's state");
    expect(progress.steps() > 0, "steps are counted");

    const auto parties =
        parties_of(unpack_join_state(joined.state), world.sources, joined.comms.switching->size());
    expect(parties.sources == first_ranks(world.sources), "the sources held the data");
    expect(parties.targets == targets, "who stays and all newcomers hold them");

    const auto comms = comms_after(joined.comms, parties, world.side, progress);
    const auto at = std::ranges::find(targets, Rank{world.rank});
    if (at == targets.end())
        expect(!comms.job && !comms.vote && !comms.switching, "a leaver has none");
    else
        expect(are_there(comms, static_cast<int>(targets.size()),
                         static_cast<int>(at - targets.begin())),
               "the targets have the job's communicators");
}

// One rank cannot go on, for example because it has no memory.
void all_hear_who_cannot_go_on(const World& world, int unable) {
    data::Progress progress;
    handshake(world.side, progress);
    const auto packed = pack_join_state(state_with(first_ranks(world.size), 10));
    bool knew_the_state = false;
    const OwnPart own{"rank " + std::to_string(world.rank), [&](const JoinedSides& joined) {
                          knew_the_state = joined.state == packed;
                          if (world.rank == unable) throw SystemError("no memory");
                      }};
    std::string why;
    try {
        join_sides(world.side, world.rank == 0 ? packed : "", progress, own);
    } catch (const SystemError& error) {
        why = error.what();
    }
    expect(knew_the_state, "what a rank does by itself comes after the state");
    expect(why == "rank " + std::to_string(unable) + ": no memory", "all hear who cannot go on");
}

data::Outgoing moving(std::size_t before, std::size_t after) {
    const auto blocks = [](std::size_t parts) {
        return std::make_shared<const plan::Partition>(
            plan::BlockDistribution{elements, static_cast<int>(parts)});
    };
    data::Outgoing array;
    array.spec = spec;
    array.before = blocks(before);
    array.after = blocks(after);
    return array;
}

// The newcomers' side of an attempt.
void take_part(const World& world, plan::Memory memory = plan::Memory::keep) {
    data::Progress progress;
    handshake(world.side, progress);
    const auto joined = join_sides(world.side, {}, progress);
    const auto& all = *joined.comms.switching;
    const auto parties = parties_of(unpack_join_state(joined.state), world.sources, all.size());
    const std::vector arrays{moving(parties.sources.size(), parties.targets.size())};
    const auto parts = data::allocate_parts(Rank{world.rank}, parties, arrays);
    const auto move = [&] {
        data::redistribute(plan::Executor::p2p, all, {parties, arrays, parts, false, memory},
                           progress);
    };
    if (memory == plan::Memory::keep) move();
    comms_after(joined.comms, parties, world.side, progress);
    if (memory == plan::Memory::keep) return;
    move();
    data::max_of_all(all, 0, progress);
}

std::vector<data::Outgoing> own_part(const World& world, std::size_t after) {
    auto array = moving(static_cast<std::size_t>(world.sources), after);
    array.old_part = data::make_block(spec, array.before, world.rank);
    const auto& part = array.old_part;
    auto* const values = reinterpret_cast<int*>(part.memory.get());
    std::iota(values, values + part.count, static_cast<int>(part.offset));
    return {array};
}

bool holds_its_part(const data::Block& part) {
    const auto* const values = reinterpret_cast<const int*>(part.memory.get());
    for (std::int64_t i = 0; i < part.count; ++i)
        if (values[i] != part.offset + i) return false;
    return part.count > 0;
}

std::shared_ptr<ExpandAttempt> attempt_of(const World& world, const std::vector<Rank>& targets,
                                          int newcomers, plan::Memory memory = plan::Memory::keep) {
    ExpandInputs inputs;
    inputs.memory = memory;
    inputs.side = world.side;
    if (world.rank == 0) inputs.state = pack_join_state(state_with(targets, 10));
    inputs.arrays = own_part(world, targets.size());
    inputs.sources = world.sources;
    inputs.newcomers = newcomers;
    return std::make_shared<ExpandAttempt>(std::move(inputs), calls_over_mpi());
}

void attempt_succeeds(const World& world, const std::vector<Rank>& targets) {
    if (world.is_newcomer) return take_part(world);
    const auto attempt = attempt_of(world, targets, world.newcomers());
    attempt->start();
    expect(attempt->wait(30s), "the helper ends in time");
    const auto& outcome = attempt->outcome();
    expect(!outcome.failure, "the attempt succeeds");
    expect(attempt->steps() > 0, "its steps can be seen");
    const bool stays = std::ranges::count(targets, Rank{world.rank}) > 0;
    expect(static_cast<bool>(outcome.comms.job) == stays, "who stays has a communicator");
    expect(holds_its_part(outcome.parts[0]) == stays, "who stays has its new part");
}

void attempt_moves_after_the_commit(const World& world, const std::vector<Rank>& targets) {
    if (world.is_newcomer) return take_part(world, plan::Memory::tight);
    const auto attempt = attempt_of(world, targets, world.newcomers(), plan::Memory::tight);
    attempt->start();
    expect(attempt->wait(30s), "the helper ends in time");
    const bool stays = std::ranges::count(targets, Rank{world.rank}) > 0;
    expect(!attempt->outcome().failure, "the attempt succeeds");
    expect(attempt->outcome().moved.bytes_sent == 0, "nothing has moved before the commit");
    attempt->move_committed();
    expect(holds_its_part(attempt->outcome().parts[0]) == stays, "who stays has its new part");
}

// The newcomers' leader receives the message of the program's leader, and does not answer.
void attempt_fails_without_an_answer(const World& world, bool abandoned) {
    if (world.is_newcomer) {
        int word = 0;
        if (world.side.bridge)
            MPI_Recv(&word, 1, MPI_INT, 0, there_tag, world.side.bridge->get(), MPI_STATUS_IGNORE);
        return;
    }
    const auto attempt = attempt_of(world, with_newcomers(world, {}), world.newcomers());
    attempt->start();
    if (abandoned) attempt->abandon();
    expect(!attempt->wait(abandoned ? 30s : 200ms) || world.rank != 0, "nobody waits any longer");
    expect(attempt->ends_within(10s), "the helper is not stuck");
    expect(attempt->part() == std::string("the new ranks are joined with the program's ranks"),
           "what it was at can be seen");
    const auto& failure = attempt->outcome().failure;
    expect(failure && !failure->receive_left, "it has failed before the leaders' exchange");
}

// There are not as many newcomers as in the plan. The communicators that were made are kept, so
// that the program's thread can free them.
void attempt_fails_with_strangers(const World& world) {
    if (world.is_newcomer) {
        data::Progress progress;
        handshake(world.side, progress);
        bool heard = false;
        try {
            join_sides(world.side, {}, progress);
        } catch (const SystemError&) {
            heard = true;
        }
        return expect(heard, "newcomers hear of it");
    }
    const auto attempt = attempt_of(world, with_newcomers(world, {}), world.newcomers() + 1);
    attempt->start();
    expect(attempt->wait(30s), "the helper ends in time");
    const auto& outcome = attempt->outcome();
    expect(outcome.failure &&
               outcome.failure->why.find("the joined communicator has") != std::string::npos,
           "the failure is named");
    expect(are_there(outcome.joined.comms, world.size, world.rank), "what was made is kept");
}

// ---- joins in the background ----

constexpr core::TransactionId first{7}, second{8};

struct Background {
    std::shared_ptr<FakeChannel> agent = std::make_shared<FakeChannel>();
    std::atomic<int> pending = 0;
    BackgroundJoin join{agent, [this](bool on) { pending += on ? 1 : -1; }};

    void begin(const World& world, core::TransactionId transaction) {
        BackgroundJoin::Order order;
        order.mpi = calls_over_mpi();
        order.side = world.side;
        order.side.transaction = transaction;
        order.ranks = world.size;
        join.begin(std::move(order));
    }
    /// Waits until the helper has ended. Returns the report of this rank.
    wire::SourceJoined report() {
        while (pending > 0) std::this_thread::sleep_for(1ms);
        const auto said = agent->take_only<wire::SourceJoined>();
        expect(said.has_value(), "a source says once how its join has ended");
        return said.value_or(wire::SourceJoined{});
    }
};

void enter(const World& world) {
    const int word = 1;
    if (world.side.bridge) MPI_Send(&word, 1, MPI_INT, 0, entering_tag, world.side.bridge->get());
}

MemberComms connect_newcomer(const World& world) {
    data::Progress progress;
    enter(world);
    handshake(world.side, progress);
    auto comms = connect_sides(world.side, progress);
    exchange_state(comms, {}, progress);
    return comms;
}

// The program uses its communicator while the helper makes another one from it.
void joins_while_the_program_computes(const World& world) {
    data::Progress progress;
    const auto packed = pack_join_state(state_with({}, 10));
    if (world.is_newcomer) {
        const auto joined = exchange_state(connect_newcomer(world), {}, progress);
        expect(joined.state == packed, "the state comes at the point");
        return;
    }
    Background background;
    background.begin(world, first);
    int sum = 0;
    for (int i = 0; i < 200; ++i) {
        const int mine = i;
        int all = 0;
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, world.side.local->get());
        sum += all == i * world.sources ? 0 : 1;
    }
    expect(sum == 0, "the program's calls are its own");
    const auto report = background.report();
    expect(report.ok && report.transaction == first, "the sources are joined");
    expect(background.join.is_open(), "the join waits for its switch");
    expect(!background.join.take(second), "of another transaction there is none");
    const auto joined = background.join.take(first);
    expect(joined && are_there(joined->comms, world.size, world.rank) &&
               static_cast<bool>(joined->bridge) == (world.rank == 0),
           "all are in it, and rank 0 has the bridge");
    expect(!background.join.take(first) && !background.join.is_open(), "it is given away once");
    if (joined) exchange_state(joined->comms, world.rank == 0 ? packed : "", progress);
    expect(background.join.finish(5s), "nothing is under way");
}

// The newcomers of the first join never come. The second join works as if there had been no first.
void a_join_that_is_left_spoils_nothing(const World& world) {
    if (world.is_newcomer) {
        MPI_Barrier(MPI_COMM_WORLD);
        connect_newcomer(world);
        return;
    }
    Background background;
    background.begin(world, first);
    background.join.abandon(first);
    expect(!background.report().ok, "it is left");
    expect(background.join.drop(first) && !background.join.take(first), "nothing is made");
    MPI_Barrier(MPI_COMM_WORLD);
    background.begin(world, second);
    expect(background.report().ok, "the next one is made");
    expect(background.join.drop(second) && !background.join.take(second),
           "what is dropped is gone");
    expect(!background.join.is_open() && background.join.finish(5s), "nothing is left");
}

// ---- frozen arrays ----

core::Layout layout_of(int size) {
    core::Layout layout;
    layout.active = {{core::GroupId{0}, core::HostIndex{0}, Rank{0}, size}};
    return layout;
}

data::FrozenArray frozen_part(const World& world) {
    const auto array = own_part(world, static_cast<std::size_t>(world.size)).front();
    data::FrozenArray frozen{array.spec, {}, array.old_part};
    frozen.spec.frozen = true;
    return frozen;
}

void takes_what_moves_ahead(const World& world, bool moves) {
    data::Progress progress;
    enter(world);
    handshake(world.side, progress);
    const auto both = exchange_state(connect_sides(world.side, progress), {}, progress);
    const auto mpi = calls_over_mpi();
    MoveAhead what(both, world.sources, {}, progress, mpi);
    what.agree();
    const auto ahead = what.move(true);
    expect(ahead.arrays.size() == (moves ? 1 : 0), "a newcomer knows what has moved");
    if (moves) expect(holds_its_part(ahead.parts[0]), "it has its part before the point");
}

// A frozen array that one source does not have moves at the point instead.
void frozen_arrays_move_ahead(const World& world, bool all_have_it) {
    if (world.is_newcomer) return takes_what_moves_ahead(world, all_have_it);
    Background background;
    BackgroundJoin::Order order;
    order.mpi = calls_over_mpi();
    order.side = world.side;
    order.side.transaction = first;
    order.ranks = world.size;
    order.state.layout = layout_of(world.size);
    order.state.targets = first_ranks(world.size);
    order.verify = true;
    if (all_have_it || world.rank != world.sources - 1) order.frozen = {frozen_part(world)};
    background.join.begin(std::move(order));
    const auto report = background.report();
    expect(report.ok, "the sources are joined");
    expect(background.join.take_progress() == first && !background.join.take_progress(),
           "it gets on");
    const auto joined = background.join.take(first);
    expect(joined && joined->ahead.arrays.size() == (all_have_it ? 1 : 0), "what has moved");
    if (!joined || !all_have_it) return;
    expect(holds_its_part(joined->ahead.parts[0]), "a source has its part, too");
    expect(joined->ahead.sums.size() == 1, "what is verified has a sum");
}

void all_with(int sources, int size) {
    const World by_first(sources, 0), by_last(sources, size - sources - 1);
    constexpr std::size_t more_than_one_message = 5000;
    for (const auto& targets : targets_after(by_first)) {
        joins(by_first, targets, 10);
        joins(by_last, targets, more_than_one_message);
        attempt_succeeds(by_last, targets);
    }
    for (int unable = 0; unable < size; ++unable) all_hear_who_cannot_go_on(by_first, unable);
    for (const auto& targets : targets_after(by_first))
        attempt_moves_after_the_commit(by_first, targets);
    joins_while_the_program_computes(by_last);
    for (const bool all_have_it : {true, false}) {
        frozen_arrays_move_ahead(by_first, all_have_it);
        frozen_arrays_move_ahead(by_last, all_have_it);
    }
    a_join_that_is_left_spoils_nothing(by_first);
    attempt_fails_with_strangers(by_first);
    attempt_fails_without_an_answer(by_first, true);
    attempt_fails_without_an_answer(World(sources, 0), false);
    MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace ductile::engine

int main(int argc, char** argv) {
    return ductile::engine::run_on_ranks(argc, argv, [] {
        int size = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        for (int sources = 1; sources < size; ++sources) ductile::engine::all_with(sources, size);
    });
}
