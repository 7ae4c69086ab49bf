// The methods of process management that a user may choose.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace ductile::plan {

/// What happens to the sources: `merge` keeps those that stay, `baseline` starts all targets afresh
/// and ends all sources (dynamic-spawning-methods, section 3).
enum class Method { merge, baseline };

/// How new groups are started (parallel-spawning-strategies, section 4, and docs/commands/plan.md).
enum class Start {
    collective,  ///< one MPI_Comm_spawn by all sources: one group over all hosts
    single,      ///< the same, called by the root alone
    hypercube,   ///< each process starts a group on one host; this group helps in the next step
    diffusive,   ///< the same for groups of different sizes
    launch       ///< the agents start one group over all hosts, outside MPI
};

/// What the program does while new groups start: it waits at the resize point, or continues.
enum class Overlap { blocking, background };

/// How the new groups of a parallel start learn that all are ready, and learn each other's ports:
/// from the broker, or along the tree of processes that start groups (parallel-spawning-strategies,
/// Listing 1).
enum class Readiness { broker, tree };

/// Whether the intercommunicator of the MPI_Comm_spawn that starts a group becomes the leaders'
/// bridge, and which sources call this MPI_Comm_spawn.
enum class SpawnBridge { no, by_root, by_all };

/// When the new ranks and the program's ranks become one communicator: at the resize point, or
/// before it, while the program computes.
enum class Joining { point, background };

/// The memory that a rank uses while data move. `keep`: the rank keeps its old parts until all new
/// parts have arrived, so that the resize can be undone. `tight`: the rank uses no more than the
/// larger of old and new parts, plus a window of fixed size.
enum class Memory { keep, tight };

/// Which ranks the new processes get, and which ranks leave: the last ranks, or some between the
/// others.
enum class RankOrder { append, interleave };

/// How the data of distributed arrays move from their old owners to their new owners.
enum class Executor {
    p2p,          ///< messages between pairs
    alltoallv,    ///< collective calls over all
    rma_lock,     ///< new owners lock each old owner from which they need data, and read its memory
    rma_lockall,  ///< the same, but one call locks all ranks
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

/// Which parts of a strategy are chosen anew for each resize.
struct Automatic {
    bool method = false, start = false, overlap = false;
    [[nodiscard]] bool any() const { return method || start || overlap; }
    bool operator==(const Automatic&) const = default;
};

inline constexpr std::array all_overlaps{Overlap::blocking, Overlap::background};
inline constexpr std::array all_joinings{Joining::point, Joining::background};
inline constexpr std::array all_memories{Memory::keep, Memory::tight};
inline constexpr std::array all_rank_orders{RankOrder::append, RankOrder::interleave};
/// The executors that move data: all except `automatic`.
inline constexpr std::array all_executors{Executor::p2p, Executor::alltoallv, Executor::rma_lock,
                                          Executor::rma_lockall};
inline constexpr std::array executor_choices{Executor::p2p, Executor::alltoallv, Executor::rma_lock,
                                             Executor::rma_lockall, Executor::automatic};
inline constexpr std::array all_methods{Method::merge, Method::baseline};
inline constexpr std::array all_starts{Start::collective, Start::single, Start::hypercube,
                                       Start::diffusive, Start::launch};

/// Whether the new ranks of each host are a group of their own. Otherwise all new ranks have one
/// MPI_COMM_WORLD.
inline bool starts_each_host(Start start) {
    return start == Start::hypercube || start == Start::diffusive;
}

/// The bridge of a start by one MPI_Comm_spawn. With the other starts the leaders connect over a
/// port.
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
/// Searches executor_choices.
std::optional<Executor> executor_named(std::string_view name);

}  // namespace ductile::plan
