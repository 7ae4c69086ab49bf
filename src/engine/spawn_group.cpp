#include "engine/spawn_group.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <memory>

#include "engine/stopwatch.hpp"
#include "mpi/spawn.hpp"
#include "mpi/wait_asleep.hpp"
#include "os/job_clock.hpp"

namespace ductile::engine {

namespace {

using namespace std::chrono_literals;

constexpr int pair_tag = 0x0d50;
// The leader sends the hello immediately: only a stopped leader is so late.
constexpr auto hello_within = 60s;
// The other sources wait this much longer for the root. Once the resize is given up, they wait only
// this long.
constexpr auto root_answers_within = 10s;

// The program that an mpiexec starts. That program learns from its agent which program to run. An
// agent that starts ranks itself ignores this name.
std::string shim() {
    const char* path = std::getenv("DUCTILE_SHIM");
    return path == nullptr ? "the program" : path;
}

}  // namespace

mpi::SharedComm spawn_group(const wire::SpawnGroup& order, const mpi::Comm* sources,
                            SpawnSteps& mpi, AgentChannel& link) {
    wire::Spawned said{order.transaction, order.group, false, {}, 0};
    mpi::SharedComm between;
    const Stopwatch starting;
    try {
        between = mpi.start(order, sources);
        said.ok = true;
    } catch (const Error& error) {
        said.why = std::string(error.what()).substr(0, wire::limits::text_bytes);
    }
    said.spawn_s = starting.seconds();
    link.send(said);
    return between;
}

mpi::Comm start_group(const wire::SpawnGroup& order, const mpi::Comm* sources) {
    const auto self = sources == nullptr ? mpi::duplicate_self() : mpi::Comm();
    return mpi::spawn({shim(), order.ranks, order.hosts,
                       order.by_entry ? mpi::SpawnHosts::by_entry : mpi::SpawnHosts::by_key},
                      sources == nullptr ? self : *sources);
}

void leave_out(const wire::SpawnGroup& order, AgentChannel& link) {
    link.send(wire::Spawned{order.transaction, order.group, false, "the start was given up", 0});
}

void await_newcomers_hello(const mpi::Comm& between, const mpi::Comm* sources,
                           const BridgeHello& expected, const std::function<bool()>& given_up) {
    using Clock = os::AwakeClock;
    enum Outcome { lost, welcome, ends };
    auto outcome = std::make_unique<int>(lost);
    std::exception_ptr failure;  // the other sources must hear of it
    auto until = Clock::now() + hello_within;
    if (sources == nullptr || sources->rank() == 0) try {
            const auto answer = receive_hello(between, expected,
                                              [&] { return given_up() || Clock::now() > until; });
            // The program may have ended on the root only.
            *outcome = answer == BridgeAnswer::welcome ? welcome : given_up() ? ends : lost;
        } catch (const Error&) {
            failure = std::current_exception();
        }
    if (sources != nullptr) {
        MPI_Request told = MPI_REQUEST_NULL;
        mpi::check(MPI_Ibcast(outcome.get(), 1, MPI_INT, 0, sources->get(), &told), "MPI_Ibcast");
        until += root_answers_within;
        const auto is_late = [&] {
            if (given_up()) until = std::min(until, Clock::now() + root_answers_within);
            return Clock::now() > until;
        };
        if (!mpi::wait_collective_asleep_unless(told, "MPI_Ibcast", is_late)) {
            [[maybe_unused]] const auto* kept = outcome.release();  // MPI may still write it
            throw TimeoutError("the root of MPI_Comm_spawn is stuck inside MPI");
        }
    }
    if (failure) std::rethrow_exception(failure);
    if (*outcome == ends) throw SystemError(program_is_ending);
    if (*outcome != welcome)
        throw SystemError("the new ranks were lost when MPI_Comm_spawn connected to them");
}

void send_hello_to_parents(const mpi::Comm& parents, const BridgeHello& hello,
                           const std::function<bool()>& given_up) {
    if (parents.rank() == 0) send_hello(parents, hello, given_up);
}

mpi::SharedComm bridge_of_spawn(const mpi::Comm& between, wire::SpawnBridge by, int starters,
                                bool newcomers) {
    auto all = mpi::merge(between, newcomers);
    const int leader = newcomers ? starters : 0;
    if (all.rank() != leader) return nullptr;
    if (by == wire::SpawnBridge::by_root) return mpi::share(std::move(all));
    return mpi::share(mpi::create_group(all, {0, starters}, pair_tag));
}

}  // namespace ductile::engine
