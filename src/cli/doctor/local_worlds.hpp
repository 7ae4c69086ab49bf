// The worlds of a job on one machine. Serves PMI-1 to their ranks as agents and broker do:
// barriers, names and MPI_Comm_spawn. Pure: receives lines of ranks, returns orders.
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

/// A rank of one of these worlds.
struct WorldMember {
    WorldNumber world;
    pmi::WorldRank rank;
    auto operator<=>(const WorldMember&) const = default;
};

/// A line for a rank, without its newline.
struct SendToRank {
    WorldMember to;
    std::string line;
    bool operator==(const SendToRank&) const = default;
};
/// A rank called MPI_Comm_spawn. The user of LocalWorlds must call add_spawned() and start the
/// ranks of the new world.
struct SpawnWanted {
    WorldMember by;
    pmi::SpawnRequest request;
    bool operator==(const SpawnWanted&) const = default;
};
/// The rank has broken the protocol, so the user of LocalWorlds must kill it.
struct KillRank {
    WorldMember which;
    std::string why;  ///< follows "rank 3 "
    bool operator==(const KillRank&) const = default;
};
/// A call of MPI has failed for a reason that the user should read.
struct SayOfRank {
    WorldMember which;
    std::string what;  ///< follows "rank 3 "
    bool operator==(const SayOfRank&) const = default;
};
/// The spawn of this world has failed, and the rank that spawned it has been told. The user of
/// LocalWorlds must kill the world's ranks.
struct KillWorld {
    WorldNumber world;
    bool operator==(const KillWorld&) const = default;
};
using LocalEffect = std::variant<SendToRank, SpawnWanted, SayOfRank, KillRank, KillWorld>;
using LocalOutbox = std::vector<LocalEffect>;

/// Uses the same classes as agents and brokers (pmi::HostWorld, pmi::Server), with one host for all
/// ranks.
///
/// Example: a world of one rank.
///
///     add(name, 1)                       world 0
///     on_lines({0, 0}, {"cmd=init ..."})  {SendToRank{{0, 0}, "cmd=response_to_init ..."}}
class LocalWorlds {
  public:
    /// \param name a name that no other world has, ever. \param ranks at least one.
    WorldNumber add(const pmi::KvsName& name, int ranks);
    /// Adds the world that `wanted` describes.
    WorldNumber add_spawned(const pmi::KvsName& name, const SpawnWanted& wanted);

    void on_lines(WorldMember from, const std::vector<std::string>& lines, LocalOutbox& out);
    /// The rank's process has ended, or could not be started.
    void on_rank_ended(WorldMember who, LocalOutbox& out);

    /// Whether the rank has begun to speak PMI-1.
    [[nodiscard]] bool has_spoken(WorldMember who) const;

  private:
    struct World {
        pmi::KvsName name;
        pmi::HostWorld part;
        std::optional<WorldMember> parent;  // waits for the answer to its spawn
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
