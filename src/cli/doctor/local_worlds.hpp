// A job's worlds on one machine, as agents and broker would serve them: PMI-1's barriers, names and
// MPI_Comm_spawn. Pure: words of ranks in, orders out.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/ids.hpp"
#include "pmi/host_world.hpp"
#include "pmi/server.hpp"

namespace ductile::cli {

/// Counts the worlds of a run from 0, in the order in which they are added.
using WorldNumber = core::Id<struct WorldNumberTag, std::size_t>;

/// A rank of one of them.
struct WorldMember {
    WorldNumber world;
    pmi::WorldRank rank;
    auto operator<=>(const WorldMember&) const = default;
};

/// A line for a rank, without its newline.
struct SayToRank {
    WorldMember to;
    std::string line;
    bool operator==(const SayToRank&) const = default;
};
/// MPI_Comm_spawn: add_spawned() is to be called, and the new world's ranks are to be started.
struct SpawnWanted {
    WorldMember by;
    pmi::SpawnRequest request;
    bool operator==(const SpawnWanted&) const = default;
};
/// The rank has broken the protocol.
struct KillRank {
    WorldMember which;
    std::string why;  ///< follows "rank 3 "
    bool operator==(const KillRank&) const = default;
};
/// Its spawn has failed, and has been answered so.
struct KillWorld {
    WorldNumber world;
    bool operator==(const KillWorld&) const = default;
};
using LocalEffect = std::variant<SayToRank, SpawnWanted, KillRank, KillWorld>;
using LocalOutbox = std::vector<LocalEffect>;

/// The parts are those that agents and brokers are made of (pmi::HostWorld, pmi::Server), with one
/// host for all.
///
/// Example: a world of one rank.
///
///     add(name, 1)                       world 0
///     on_line({0, 0}, "cmd=init ...")    {SayToRank{{0, 0}, "cmd=response_to_init ..."}}
class LocalWorlds {
  public:
    /// \param name of no other world, ever. \param ranks at least one.
    WorldNumber add(const pmi::KvsName& name, int ranks);
    /// As `wanted` asks.
    WorldNumber add_spawned(const pmi::KvsName& name, const SpawnWanted& wanted);

    void on_line(WorldMember from, std::string_view line, LocalOutbox& out);
    /// Its process has ended, or could not be started.
    void on_rank_ended(WorldMember who, LocalOutbox& out);

    /// Whether the rank has begun to speak PMI-1.
    [[nodiscard]] bool has_spoken(WorldMember who) const;

  private:
    struct World {
        pmi::KvsName name;
        pmi::HostWorld part;
        std::optional<WorldMember> parent;  // that has not been answered yet
        std::vector<bool> spoken;           // by rank
    };

    WorldNumber add(const pmi::KvsName& name, pmi::WorldOptions options,
                    std::optional<WorldMember> parent);
    World& world(WorldNumber number) { return worlds_.at(number.value); }
    void carry_out(WorldNumber number, const pmi::Outbox& effects, LocalOutbox& out);
    void carry_out(const pmi::ServerOutbox& effects, LocalOutbox& out);
    void tell_server(WorldNumber number, const pmi::FromHost& message, LocalOutbox& out);
    void answer_name(WorldMember who, pmi::answer::NameResult result, const std::string& port,
                     LocalOutbox& out);
    void answer_parent(WorldNumber number, pmi::answer::SpawnResult result, LocalOutbox& out);
    [[nodiscard]] WorldNumber number_of(const pmi::KvsName& name) const;

    std::vector<World> worlds_;  // ended ones, too
    pmi::Server server_;
};

}  // namespace ductile::cli
