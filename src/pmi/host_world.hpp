// The part of a world on one host: serves PMI-1 to its ranks.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pmi/answers.hpp"
#include "pmi/command.hpp"
#include "pmi/effects.hpp"
#include "pmi/kvsname.hpp"
#include "pmi/rank_state.hpp"
#include "pmi/world_messages.hpp"

namespace ductile::pmi {

/// Whether ranks wait for ReleaseGate before they learn their parent's port.
enum class Gate { open, shut };

/// What is known of a world when its ranks are started.
struct WorldOptions {
    struct Rank {
        WorldRank rank;
        int appnum = 0;  ///< at least 0
    };
    KvsName kvsname;
    int universe_size = 1;    ///< as MPI_UNIVERSE_SIZE: at least the size of the world
    std::vector<Rank> ranks;  ///< on this host, at least one, none twice
    Keys keys;                ///< PMI_process_mapping; what a spawn has put
    Gate gate = Gate::open;   ///< shut for a world that MPI_Comm_spawn asked for
};

/// Takes what ranks say and what the server says, and fills an Outbox. A rank's questions are
/// answered once each, in their order: one that another thread asks meanwhile waits. A rank that
/// does not speak as in PMI-1 is Misbehaved and counts as one that died. No input makes it throw or
/// keep more than limits.hpp allows.
///
/// Barriers: BarrierReached is said once all ranks that count (living, not finalised, not leaving)
/// have sent barrier_in; BarrierReleased answers them. A rank that ends or leaves is no longer
/// waited for, one that leaves is answered at once. A key may be put again: the last value holds.
///
/// The gate: while it is shut a `get` of PARENT_ROOT_PORT_NAME is held. GateReached is said when
/// all ranks of the host wait there, GateLost for each one that ends before the gate is opened.
///
/// Example: host with ranks 0 and 1.
///
///     on_line(0, "cmd=barrier_in")                     {}
///     on_line(1, "cmd=put kvsname=w key=k value=v")    {ToRank{1, "cmd=put_result ..."}}
///     on_line(1, "cmd=barrier_in")                     {BarrierReached{0, {k: v}}}
///     on(BarrierReleased{0, {k: v, l: u}})             {ToRank{0, "cmd=barrier_out rc=0"},
///                                                       ToRank{1, "cmd=barrier_out rc=0"}}
class HostWorld {
  public:
    /// Throws InputError for options out of their bounds.
    explicit HostWorld(WorldOptions options);

    /// A line of a rank, without its newline. Lines of ranks that are gone or not of this host are
    /// passed over: they were on their way.
    void on_line(WorldRank rank, std::string_view line, Outbox& out);
    /// The process of a rank has ended, for whatever reason.
    void on_rank_ended(WorldRank rank, Outbox& out);
    /// The rank has been told to leave the job: nobody waits for it any more.
    void on_rank_leaves(WorldRank rank, Outbox& out);
    /// To Publish, Unpublish and Lookup. `port` is that of a lookup. Passed over when the rank has
    /// no such question open.
    void on_name_answer(WorldRank rank, answer::NameResult result, std::string_view port,
                        Outbox& out);
    void on_spawn_answer(WorldRank rank, answer::SpawnResult result, Outbox& out);
    /// Passed over when it is for another round.
    void on(const BarrierReleased& message, Outbox& out);
    void on(const ReleaseGate& message, Outbox& out);

    [[nodiscard]] bool has_shut_gate() const { return gate_ == Gate::shut; }
    /// The state of a rank, nothing where it is not of this host.
    [[nodiscard]] const RankState* state_of(WorldRank rank) const;
    /// Bytes of keys and of requests that are kept, without the containers' own.
    [[nodiscard]] std::size_t bytes() const;

  private:
    struct Speaker {
        WorldRank id;
        LocalRank& rank;
    };

    void on(Speaker who, const Init&, Outbox& out);
    void on(Speaker who, const GetMaxes&, Outbox& out);
    void on(Speaker who, const GetUniverseSize&, Outbox& out);
    void on(Speaker who, const GetAppnum&, Outbox& out);
    void on(Speaker who, const GetMyKvsname&, Outbox& out);
    void on(Speaker who, Put&& command, Outbox& out);
    void on(Speaker who, const Get& command, Outbox& out);
    void on(Speaker who, const BarrierIn&, Outbox& out);
    void on(Speaker who, PublishName&& command, Outbox& out);
    void on(Speaker who, UnpublishName&& command, Outbox& out);
    void on(Speaker who, LookupName&& command, Outbox& out);
    void on(Speaker who, const Finalize&, Outbox& out);
    void on(Speaker who, const Abort& command, Outbox& out);
    void on(Speaker who, const BeginSpawn&, Outbox& out);
    void on(Speaker who, Refused&& command, Outbox& out);

    void take_line(Speaker who, std::string_view line, Outbox& out);
    void keep_line(Speaker who, std::string_view line, Outbox& out);
    void resume(Speaker who, Outbox& out);
    void resume_all(Outbox& out);
    void on_command(Speaker who, Command command, Outbox& out);
    void on_spawn_line(Speaker who, std::string_view line, Outbox& out);
    void on(Speaker who, SpawnRequest&& request, Outbox& out);
    void misbehaved(Speaker who, std::string why, Outbox& out);
    void end(Speaker who, RankState last, Outbox& out);
    void settle(Outbox& out);
    void settle_gate(Outbox& out);
    [[nodiscard]] std::optional<std::string_view> value_of(std::string_view key) const;
    [[nodiscard]] bool held_at_gate(const Get& get) const;
    LocalRank* find(WorldRank rank);

    KvsName kvsname_;
    int universe_size_;
    std::map<WorldRank, LocalRank> ranks_;
    Keys keys_;   // of the world, up to its last barrier
    Keys fresh_;  // put here since then
    BarrierRound round_;
    Gate gate_;
    bool barrier_reached_ = false;  // said for round_
    bool left_barriers_ = false;    // said
};

}  // namespace ductile::pmi
