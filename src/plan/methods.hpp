// The ways of process management that a user may name.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace ductile::plan {

/// What becomes of the sources: `merge` keeps those that stay, `baseline` starts all targets afresh
/// and ends all sources (dynamic-spawning-methods, section 3).
enum class Method { merge, baseline };

/// How new groups come to be (parallel-spawning-strategies, section 4, and docs/commands/plan.md).
enum class Start {
    collective,  ///< one MPI_Comm_spawn by all sources: one group over all hosts
    single,      ///< the same by the root alone
    hypercube,   ///< each process starts a group on one host, which helps in the next step
    diffusive,   ///< the same for groups of different sizes
    launch       ///< the agents of the hosts start one group over all of them, outside of MPI
};

/// What the program does while new groups start: it waits at the resize point, or goes on.
enum class Overlap { blocking, background };

/// How new groups of a parallel start hear that all are ready, and of each other's ports: from the
/// broker, or along the tree of those who start them (parallel-spawning-strategies, Listing 1).
enum class Readiness { broker, tree };

/// Does the intercommunicator of the MPI_Comm_spawn that starts a group become the leaders' bridge,
/// and who calls it?
enum class SpawnBridge { no, by_root, by_all };

/// When new ranks and the program's become one communicator: at the resize point, or before it,
/// while the program computes.
enum class Joining { point, background };

/// What a rank holds while data move: its old parts beside the new ones until all have arrived, so
/// that a resize can be undone; or no more than the larger of the two and a window.
enum class Memory { keep, tight };

/// Which ranks new processes get, and which ranks leave: the last ones, or some between the others.
enum class RankOrder { append, interleave };

/// How the data of distributed arrays get from those who hold them to those who will.
enum class Executor {
    p2p,          ///< messages between pairs
    alltoallv,    ///< collective calls over all
    rma_lock,     ///< those who will hold them read the memory of each that they need, locked
    rma_lockall,  ///< the same, with all locked at once
    automatic     ///< one of the others, chosen when the data are known (plan/executor_choice.hpp)
};

/// How a resize is carried out.
struct Strategy {
    Method method = Method::merge;
    Start start = Start::launch;
    Overlap overlap = Overlap::background;
    Executor redistribution = Executor::p2p;
    Joining joining = Joining::point;
    Memory memory = Memory::keep;
    RankOrder rank_order = RankOrder::append;
    bool operator==(const Strategy&) const = default;
};

/// Which parts of a way are chosen for each resize.
struct Automatic {
    bool method = false, start = false, overlap = false;
    [[nodiscard]] bool any() const { return method || start || overlap; }
    bool operator==(const Automatic&) const = default;
};

inline constexpr std::array all_overlaps{Overlap::blocking, Overlap::background};
inline constexpr std::array all_joinings{Joining::point, Joining::background};
inline constexpr std::array all_memories{Memory::keep, Memory::tight};
inline constexpr std::array all_rank_orders{RankOrder::append, RankOrder::interleave};
/// Those that move data: without `automatic`.
inline constexpr std::array all_executors{Executor::p2p, Executor::alltoallv, Executor::rma_lock,
                                          Executor::rma_lockall};
inline constexpr std::array executor_choices{Executor::p2p, Executor::alltoallv, Executor::rma_lock,
                                             Executor::rma_lockall, Executor::automatic};
inline constexpr std::array all_methods{Method::merge, Method::baseline};
inline constexpr std::array all_starts{Start::collective, Start::single, Start::hypercube,
                                       Start::diffusive, Start::launch};

/// Each host's new ranks are a group of their own; else all new ranks have one MPI_COMM_WORLD.
inline bool starts_each_host(Start start) {
    return start == Start::hypercube || start == Start::diffusive;
}

/// Of a start by one MPI_Comm_spawn; the others' leaders meet over a port.
inline SpawnBridge bridge_by(Start start) {
    return start == Start::collective ? SpawnBridge::by_all
           : start == Start::single   ? SpawnBridge::by_root
                                      : SpawnBridge::no;
}

std::string_view to_string(Method method);
std::string_view to_string(Start start);
std::string_view to_string(Overlap overlap);
std::string_view to_string(Joining joining);
std::string_view to_string(Memory memory);
std::string_view to_string(RankOrder order);
std::string_view to_string(Executor executor);
std::optional<Method> method_named(std::string_view name);
std::optional<Start> start_named(std::string_view name);
std::optional<Overlap> overlap_named(std::string_view name);
std::optional<Joining> joining_named(std::string_view name);
std::optional<Memory> memory_named(std::string_view name);
std::optional<RankOrder> rank_order_named(std::string_view name);
/// Of executor_choices.
std::optional<Executor> executor_named(std::string_view name);

}  // namespace ductile::plan
