// The part of a world on one host. It serves PMI-1 to its ranks.
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

/// Whether ranks wait for ReleaseGate before they learn the port of their parent.
enum class Gate { open, shut };

/// Whether the keys of the world say which ranks share a machine, or MappingKnown will say it.
enum class Mapping { known, awaited };

/// What is known about a world when its ranks are started.
struct WorldOptions {
    struct Rank {
        WorldRank rank;
        int appnum = 0;  ///< at least 0
    };
    KvsName kvsname;
    int universe_size = 1;    ///< for MPI_UNIVERSE_SIZE: at least the size of the world
    std::vector<Rank> ranks;  ///< the ranks on this host: at least one, all different
    Keys keys;                ///< PMI_process_mapping, and the keys that a spawn has put
    Gate gate = Gate::open;   ///< shut for a world that MPI_Comm_spawn starts
    Mapping mapping = Mapping::known;
};

/// Takes messages from ranks and from the server, and fills an Outbox. Each question of a rank gets
/// one answer, in order. A question that another thread of the rank asks meanwhile waits. A rank
/// that breaks PMI-1 is reported as Misbehaved and counts as dead. No input makes this class throw,
/// or keep more than limits.hpp allows.
///
/// Barriers: BarrierReached is emitted when all ranks that count (whose process lives, and that do
/// not leave) have sent barrier_in. BarrierReleased answers them. The barrier does not wait for a
/// rank that ends or leaves. A rank that leaves gets its answer immediately. LeftBarriers is
/// emitted when no rank counts any more. A key may be put again: then the last value is used.
///
/// A rank may run one MPI program after the other (`sh -c "./a; ./b"`). The next one begins when
/// all ranks of the host have finalised the one before. It finds no keys of the one before, and
/// another name of the world. The barriers go on: a rank that has finalised counts. If a rank of
/// the host has left or ended, the next program is misbehaviour.
///
/// The gate: while it is shut, a `get` of PARENT_ROOT_PORT_NAME waits. GateReached is emitted when
/// all ranks of the host wait there. GateLost is emitted for each rank that ends before the gate is
/// opened.
///
/// A `get` of PMI_process_mapping waits, too, while the mapping is awaited.
///
/// Example: a host with ranks 0 and 1, which have both sent `init`.
///
///     on_lines(0, {"cmd=barrier_in"})                   {}
///     on_lines(1, {"cmd=put kvsname=w key=k value=v"})  {ToRank{1, "cmd=put_result ..."}}
///     on_lines(1, {"cmd=barrier_in"})                   {BarrierReached{0, {k: v}}}
///     on(BarrierReleased{0, {k: v, l: u}})              {ToRank{0, "cmd=barrier_out rc=0"},
///                                                        ToRank{1, "cmd=barrier_out rc=0"}}
class HostWorld {
  public:
    /// Throws InputError for options out of range.
    explicit HostWorld(WorldOptions options);

    /// Lines from a rank, without their newlines: all that has come together. A text that a program
    /// gives to MPI_Comm_spawn, or the name of a service, may have newlines in it, and MPI writes
    /// them as they are. So a line that cannot begin a command belongs to the line before it.
    /// Ignores lines of ranks that are gone (such lines were on their way) or that are not on this
    /// host.
    void on_lines(WorldRank rank, const std::vector<std::string>& lines, Outbox& out);
    /// Another MPI program of the rank will send `init`: the one before has sent `finalize`.
    /// Ignored if it has not.
    void on_next_program(WorldRank rank);
    /// The rank's program has ended without `finalize`, and nobody waits for it: it counts as
    /// finalised, and gets no answer any more.
    void on_program_gone(WorldRank rank, Outbox& out);
    /// The process of a rank has ended, for whatever reason.
    void on_rank_ended(WorldRank rank, Outbox& out);
    /// The rank has been told to leave the job. From now on no barrier waits for it.
    void on_rank_leaves(WorldRank rank, Outbox& out);
    /// Answers Publish, Unpublish and Lookup. `port` is the result of a lookup. Ignored if the rank
    /// has no such question open.
    void on_name_answer(WorldRank rank, answer::NameResult result, std::string_view port,
                        Outbox& out);
    void on_spawn_answer(WorldRank rank, answer::SpawnResult result, Outbox& out);
    /// Ignored if it is for another round.
    void on(const BarrierReleased& message, Outbox& out);
    void on(const ReleaseGate& message, Outbox& out);
    /// Ignored if the mapping is known.
    void on(const MappingKnown& message, Outbox& out);

    [[nodiscard]] bool has_shut_gate() const { return gate_ == Gate::shut; }
    /// The state of a rank; null if the rank is not on this host.
    [[nodiscard]] const RankState* state_of(WorldRank rank) const;
    /// Bytes of the stored keys and requests, without the memory of the containers themselves.
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
    void on(Speaker who, BadName&& command, Outbox& out);
    void on(Speaker who, Refused&& command, Outbox& out);

    void take(Speaker who, std::string_view text, Outbox& out);
    void keep(Speaker who, std::string text, Outbox& out);
    void keep_rest(Speaker who, std::string_view text, Outbox& out);
    static bool tells_spawn(const LocalRank& rank);
    void resume(Speaker who, Outbox& out);
    void resume_all(Outbox& out);
    void on_command(Speaker who, Command command, Outbox& out);
    void on_spawn_text(Speaker who, std::string_view text, Outbox& out);
    void on(Speaker who, SpawnRequest&& request, Outbox& out);
    void on(Speaker who, BadSpawn&& request, Outbox& out);
    void misbehaved(Speaker who, std::string why, Outbox& out);
    void end(Speaker who, RankState last, Outbox& out);
    void settle(Outbox& out);
    void settle_gate(Outbox& out);
    void settle_programs(Outbox& out);
    [[nodiscard]] bool have_all_finalised_before(const LocalRank& rank) const;
    [[nodiscard]] bool is_whole_for(const LocalRank& rank) const;
    void begin_program(int number);
    [[nodiscard]] std::optional<std::string_view> value_of(std::string_view key) const;
    [[nodiscard]] bool held_at_gate(const Get& get) const;
    template <class Held>
    void answer_held(std::string_view key, Outbox& out);
    LocalRank* find(WorldRank rank);

    const KvsName first_kvsname_;
    KvsName kvsname_;  // of the program that runs
    int program_ = 0;  // its number
    int universe_size_;
    std::map<WorldRank, LocalRank> ranks_;
    Keys keys_;   // the world's keys up to its last barrier
    Keys fresh_;  // keys put on this host since then
    BarrierRound round_;
    Gate gate_;
    Mapping mapping_;
    bool barrier_reached_ = false;  // BarrierReached was emitted for round_
    bool left_barriers_ = false;    // LeftBarriers was emitted
};

}  // namespace ductile::pmi
