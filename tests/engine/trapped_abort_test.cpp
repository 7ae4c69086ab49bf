// MPI aborts on a helper thread, which then stays inside MPI for ever. The tests check what the
// owners of the thread report. The other steps are fakes, but the abort is MPI's own.
#include <signal.h>

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/background_join.hpp"
#include "engine/expand_attempt.hpp"
#include "engine/leader_bridge.hpp"
#include "engine/spawner.hpp"
#include "expect.hpp"
#include "fake_channel.hpp"
#include "fake_join_steps.hpp"
#include "growth.hpp"
#include "stuck_call.hpp"

namespace ductile::engine {
namespace {

using namespace std::chrono_literals;

constexpr core::TransactionId resize{7};

void abort_in_mpi() {
    MPI_Abort(MPI_COMM_SELF, 3);
}
void abort_in_a_step(data::Progress&) {
    abort_in_mpi();
}

using Handler = void (*)(int);

Handler handler_of_sigabrt() {
    struct sigaction now {};
    ::sigaction(SIGABRT, nullptr, &now);
    return now.sa_handler;
}

template <class Message>
Message hear(FakeChannel& agent) {
    while (!agent.has_said<Message>()) std::this_thread::sleep_for(1ms);
    return std::get<Message>(agent.take().back());
}

/// A step in which MPI aborts. `spoils`: a receive of the leaders' exchange stays open, and may
/// take a later message.
struct Moment {
    std::string step;
    bool spoils;
};
const std::vector<Moment> moments{{"handshake", false}, {"connect", true}, {"exchange", false}};

/// One of two sources that a newcomer joins. Rank 0 has the bridge.
struct Source {
    FakeMpi mpi;
    JoinSide side;
    JoinState state;

    explicit Source(int rank) {
        mpi.join->all = {rank, 3};
        side.local = mpi.peers->job({rank, 2}).switching;
        side.transaction = resize;
        if (rank == 0) side.bridge = std::make_shared<mpi::Comm>();
        state.targets = first_ranks(3);
        state.layout = core::Layout::of({{core::GroupId{0}, core::HostIndex{0}, 3, {}}});
        state.packed = data::pack_state({}, {});
        mpi.join->state = pack_join_state(state);
    }
};

void an_attempt_fails(int rank, const Moment& moment) {
    Source source(rank);
    source.mpi.join->at[moment.step] = abort_in_a_step;
    ExpandInputs inputs;
    inputs.side = source.side;
    inputs.state = pack_join_state(source.state);
    inputs.sources = 2, inputs.newcomers = 1;
    const mpi::AbortTrap trap;  // the switch has a trap, too
    const auto attempt = std::make_shared<ExpandAttempt>(std::move(inputs), source.mpi.calls());
    attempt->start();
    expect(attempt->wait(30s), "who waits hears of the abort");
    const auto& outcome = attempt->outcome();
    expect(outcome.failure && outcome.failure->why == mpi::AbortTrap::what_happened, "the reason");
    expect(outcome.failure && !outcome.failure->of_program, "it is not the program's");
    expect(outcome.failure && outcome.failure->receive_left == (moment.spoils && rank == 0),
           "whether a receive is left");
    expect(!outcome.comms.job && !outcome.joined.comms.job, "nothing is made");
}

void a_background_join_fails(int rank, const Moment& moment) {
    Source source(rank);
    source.mpi.join->at[moment.step] = abort_in_a_step;
    const auto agent = std::make_shared<FakeChannel>();
    std::atomic<int> pending = 0;
    BackgroundJoin join(agent, [&pending](bool on) { pending += on ? 1 : -1; });
    BackgroundJoin::Order order;
    order.mpi = source.mpi.calls();
    order.side = source.side;
    order.ranks = 3;
    order.before = core::Layout::of({{core::GroupId{0}, core::HostIndex{0}, 2, {}}});
    order.state = source.state;
    join.begin(std::move(order));
    const auto report = hear<wire::SourceJoined>(*agent);
    expect(!report.ok && report.why == mpi::AbortTrap::what_happened, "the broker hears why");
    expect(report.degraded == (moment.spoils && rank == 0), "whether MPI can be relied upon");
    while (pending > 0) std::this_thread::sleep_for(1ms);
    expect(!join.take(resize), "there is no join to take");
    expect(join.finish(1h) == !report.degraded, "the end hears the same, and does not wait");
}

void a_leader_must_not_accept_again() {
    FakeMpi mpi;
    const auto agent = std::make_shared<FakeChannel>();
    mpi.join->at["accept at the port with secret"] = abort_in_a_step;
    LeaderBridge bridge(agent, mpi.join);
    bridge.open(resize, "secret");
    bridge.accept(resize);
    const auto outcome = hear<wire::Bridged>(*agent);
    expect(!outcome.ok && outcome.why == mpi::AbortTrap::what_happened, "the broker hears why");
    expect(outcome.transaction == resize && outcome.degraded, "it must not accept again");
    expect(!bridge.is_accepting() && !bridge.take(resize), "there is no bridge to wait for");
    expect(!bridge.finish(1h), "the end does not wait for the thread");
}

/// MPI aborts in this step of a spawner.
void a_spawner_ends(const std::string& what) {
    const std::string at = what == "bridge" ? "bridge to 3" : what;
    const auto mpi = std::make_shared<FakeSpawnSteps>();
    if (at == "share")
        mpi->while_sharing = [](const auto&) { abort_in_mpi(); };
    else
        mpi->at[at] = abort_in_mpi;
    const auto agent = std::make_shared<FakeChannel>();
    std::atomic<int> working = 0;
    Spawner spawner(agent, mpi, [&working](bool on) { working += on ? 1 : -1; });
    const auto sources = std::make_shared<mpi::Comm>();
    wire::SpawnGroup group;
    group.transaction = resize;
    group.group = core::GroupId{3};
    group.ranks = 1;
    if (at != "share") group.bridge = wire::SpawnBridge::by_root;
    spawner.merge(resize);
    spawner.carry_out(group, sources);
    if (at == "share") spawner.carry_out(wire::SharePorts{resize, {core::Rank{0}}}, sources);
    const auto outcome = hear<wire::Bridged>(*agent);
    expect(!outcome.ok && outcome.why == mpi::AbortTrap::what_happened, "the broker hears why");
    expect(outcome.transaction == resize && outcome.degraded, "it is degraded");
    while (working > 0) std::this_thread::sleep_for(1ms);
    expect(!spawner.take(resize), "there is no bridge");
    expect(!spawner.finish(1h), "the end does not wait for the thread");
}

// The helper of the switch is inside MPI for ever, but does not hold anything that MPI needs.
void a_switch_is_rolled_back() {
    const auto programs = handler_of_sigabrt();
    Growth growth;
    growth.mpi.join->at["handshake"] = abort_in_a_step;
    expect(growth.pass_point() == Resized::unchanged, "the program continues");
    const auto report = growth.report();
    expect(report.why == mpi::AbortTrap::what_happened, "the broker hears why");
    expect(report.unfinished && !report.degraded, "only MPI_Finalize is left out");
    expect(handler_of_sigabrt() == programs, "later aborts end the program");
}

// MPI may still abort on a stuck thread.
void a_stuck_switch_stays_trapped() {
    const auto programs = handler_of_sigabrt();
    Growth growth;
    StuckCall stuck;
    std::atomic<bool> has_returned = false;
    growth.mpi.join->at["handshake"] = [&has_returned, stuck](data::Progress& progress) {
        stuck(progress);
        has_returned = true;
        abort_in_mpi();
    };
    growth.agent->answer.progress_s = 0.1;
    expect(growth.pass_point() == Resized::unchanged, "the program continues");
    expect(growth.report().degraded, "its thread is stuck");
    expect(handler_of_sigabrt() != programs, "the thread stays trapped");
    stuck.let_return();
    while (!has_returned) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(100ms);  // without the trap, MPI ends this process
}

bool is_mpich() {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(version, &length);
    return std::string_view(version).starts_with("MPICH");
}

// The trap of a stuck thread stays in the process. So each owner of a thread is tested in a process
// of its own.
void all_of(const std::string& owner) {
    const auto programs = handler_of_sigabrt();
    if (owner == "leader") {
        a_leader_must_not_accept_again();
        expect(handler_of_sigabrt() == programs, "later aborts end the program");
    } else if (owner == "join") {
        for (const auto& moment : moments)
            for (const int rank : {0, 1}) {
                an_attempt_fails(rank, moment);
                a_background_join_fails(rank, moment);
            }
        expect(handler_of_sigabrt() != programs,
               "a thread that joins in the background stays trapped");
    } else if (owner == "switch") {
        a_switch_is_rolled_back();
        a_stuck_switch_stays_trapped();
    } else {
        a_spawner_ends(owner);
    }
}

}  // namespace
}  // namespace ductile::engine

int main(int argc, char** argv) {
    bool can_trap = true;
    const std::string owner = argc > 1 ? argv[1] : "";
    const int code = ductile::engine::run_on_ranks(argc, argv, [&] {
        can_trap = ductile::engine::is_mpich();  // others end a process without abort()
        if (can_trap) ductile::engine::all_of(owner);
    });
    return can_trap ? code : 77;
}
