#include "engine/spawn_group.hpp"

#include <chrono>
#include <cstdlib>

#include "mpi/spawn.hpp"

namespace ductile::engine {

namespace {

constexpr int pair_tag = 0x0d50;

// What an mpiexec is to start; it learns from its agent which program that is. An agent that starts
// ranks itself knows, whatever it is told.
std::string shim() {
    const char* path = std::getenv("DUCTILE_SHIM");
    return path == nullptr ? "the program" : path;
}

}  // namespace

mpi::Comm spawn_group(const wire::SpawnGroup& order, const mpi::Comm* sources, AgentChannel& link) {
    wire::Spawned said{order.transaction, order.group, false, {}, 0};
    mpi::Comm between;
    const auto begin = std::chrono::steady_clock::now();
    try {
        const auto self = sources == nullptr ? mpi::duplicate_self() : mpi::Comm();
        between = mpi::spawn({shim(), order.ranks, order.hosts,
                              order.by_entry ? mpi::SpawnHosts::by_entry : mpi::SpawnHosts::by_key},
                             sources == nullptr ? self : *sources);
        said.ok = true;
    } catch (const Error& error) {
        said.why = error.what();
        if (said.why.size() > wire::limits::text_bytes) said.why.resize(wire::limits::text_bytes);
    }
    said.spawn_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    link.send(said);
    return between;
}

void leave_out(const wire::SpawnGroup& order, AgentChannel& link) {
    link.send(wire::Spawned{order.transaction, order.group, false, "the start was given up", 0});
}

void meet_newcomers(const mpi::Comm& between, const mpi::Comm* sources,
                    const BridgeHello& expected) {
    int welcome = 0;
    if (sources == nullptr || sources->rank() == 0)
        welcome = receive_hello(between, expected) == BridgeAnswer::welcome ? 1 : 0;
    if (sources != nullptr)
        mpi::check(MPI_Bcast(&welcome, 1, MPI_INT, 0, sources->get()), "MPI_Bcast");
    if (welcome == 0)
        throw SystemError("the new ranks were lost when MPI_Comm_spawn connected to them");
}

void greet_parents(const mpi::Comm& parents, const BridgeHello& hello) {
    if (parents.rank() == 0) send_hello(parents, hello);
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
