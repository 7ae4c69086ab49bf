// What a resize is told. Pure data.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/layout.hpp"
#include "plan/methods.hpp"

namespace ductile::resize {

enum class Timer {
    phase,          ///< limits the present state
    accept,         ///< limits the leader's accept
    newcomers_end,  ///< in a resize that is given up: limits calls of MPI that wait for newcomers
    switch_within,  ///< limits the time until the program reaches a resize point
    own_moves       ///< limits the program's move of its own data
};

/// The resize is accepted.
struct Begin {};
/// The step of the Record effect is in the journal, or cannot be written there.
struct Recorded {};
struct NotRecorded {
    std::string why;
};

// ---- of new groups ----

/// A rank of a new group has started.
struct RankUp {
    core::Process process;
};
/// MPI is initialised in all ranks of the group. These ports are open, one for each round in which
/// the group accepts.
struct GroupReady {
    core::GroupId group;
    int ranks = 0;
    std::vector<int> rounds;
    std::vector<std::string> ports;
};
/// The set of groups that `leading` leads has connected with another set.
struct RoundDone {
    core::GroupId leading;
    int round = 0;
};
/// The new groups are one communicator; one of their processes reports it.
struct Formed {
    core::Process process;
};
/// A newcomer or its host is lost. The group may still exist.
struct NewcomerLost {
    std::string why;
    int code = 0;  ///< its exit code; 0: unknown
};
/// A process of the job has ended, a newcomer or any other process.
struct ProcessEnded {
    core::Process process;
    std::string what;  ///< for messages: "rank g2.1 on node3 has ended"
    int code = 0;
};
/// No process of this new group is left on any host.
struct GroupGone {
    core::GroupId group;
};

// ---- of groups that ranks start (MPI_Comm_spawn) ----

/// This host can start its part of the group.
struct HostPrepared {
    core::HostIndex host;
    core::GroupId group;
};
using Keys = std::vector<std::pair<std::string, std::string>>;
/// A rank is inside MPI_Comm_spawn.
struct SpawnAsked {
    core::HostIndex host;
    core::Process caller;
    core::GroupId starts;
    int ranks = 0;
    std::string port;  ///< the port on which it accepts the new ranks
    Keys keys;         ///< keys for the new ranks
};
/// All ranks of the group wait at its gate. GateLost: one of them ended before that.
struct GateReached {
    core::GroupId group;
};
struct GateLost {
    core::GroupId group;
};
/// MPI_Comm_spawn has returned.
struct SpawnReturned {
    core::Process caller;
    core::GroupId starts;
    bool ok = false;
    std::string why;
    double seconds = 0;
};

// ---- of the leaders' bridge ----

/// The job's rank 0 has opened this port.
struct PortOpened {
    core::Process process;
    std::string port;
};
/// The newcomers' leader calls MPI_Comm_connect next.
struct ConnectStarting {
    core::Process process;
};
/// All ranks of the group of this process wait for the merge with the processes that have started
/// the group.
struct ReadyToMerge {
    core::Process process;
};
/// A leader has returned from accept or connect. If the bridge is a spawn's intercommunicator, each
/// process that called MPI_Comm_spawn sends this, and the newcomers' leader.
struct Bridged {
    core::Process process;
    bool ok = false;
    std::string why;
    bool degraded = false;  ///< this process must not accept again
};

// ---- of the sources ----

/// The background join of a source with the newcomers has ended, with or without success.
struct SourceJoined {
    core::Process process;
    bool ok = false;
    std::string why;
    bool degraded = false;  ///< its MPI is no longer reliable
};

struct PointAnswered {
    core::Process process;
    int attempt = 0;
    std::int64_t count = 0;
    bool finished = false;
};
/// Rank 0 stands at the point.
struct Arrived {
    core::Process process;
};
/// What a rank reports about its progress.
enum class Work {
    step,          ///< progress of the switch, a background join, or a newcomer that prepares
    prepares,      ///< the program prepares this process for its place after the resize
    has_prepared,  ///< the program has prepared this process
    commits,       ///< from rank 0: all sources have committed, before the data move
    moves,         ///< the program moves its own data
    has_moved      ///< the program has moved its own data
};
/// A source or a newcomer makes progress with the resize.
struct Progressed {
    core::Process process;
    Work work = Work::step;
};
/// Parts of a source's time at the point; `stall`: the whole time.
enum class SwitchTime { stall, vote, join, redistribute, commit, rebuild };

/// Bytes of a source: sent to others at the point, sent ahead of the point, and the most memory
/// that it used to move data.
enum class SwitchBytes { sent, sent_ahead, peak };

/// What a source reports after the last vote.
struct SwitchReport {
    bool committed = false;
    bool degraded = false;
    bool unfinished = false;  ///< it will not finalise MPI
    std::string why;
    std::array<double, 6> times_s{};                      ///< indexed by SwitchTime
    std::array<std::int64_t, 3> amounts{};                ///< indexed by SwitchBytes
    plan::Executor redistribution = plan::Executor::p2p;  ///< the executor that was used
    bool operator==(const SwitchReport&) const = default;
    double& seconds(SwitchTime of) { return times_s.at(static_cast<std::size_t>(of)); }
    [[nodiscard]] double seconds(SwitchTime of) const {
        return times_s.at(static_cast<std::size_t>(of));
    }
    std::int64_t& bytes(SwitchBytes of) { return amounts.at(static_cast<std::size_t>(of)); }
    [[nodiscard]] std::int64_t bytes(SwitchBytes of) const {
        return amounts.at(static_cast<std::size_t>(of));
    }
    template <class V>
    void fields(V& v) {
        v("committed", committed), v("degraded", degraded), v("unfinished", unfinished);
        v("why", why);
        for (const auto& [name, time] :
             {std::pair{"stall_s", SwitchTime::stall}, std::pair{"vote_s", SwitchTime::vote},
              std::pair{"join_s", SwitchTime::join},
              std::pair{"redistribute_s", SwitchTime::redistribute},
              std::pair{"commit_s", SwitchTime::commit},
              std::pair{"rebuild_s", SwitchTime::rebuild}})
            v(name, seconds(time));
        for (const auto& [name, of] : {std::pair{"bytes_sent", SwitchBytes::sent},
                                       std::pair{"bytes_sent_ahead", SwitchBytes::sent_ahead},
                                       std::pair{"peak_bytes", SwitchBytes::peak}})
            v(name, bytes(of));
        v("redistribution", redistribution);
    }
};
struct SwitchDone {
    core::Process process;
    SwitchReport report;
};
/// The program's part in the resize has failed on a source, a new rank, or a parked rank that comes
/// back. Perhaps other ranks wait for this rank inside MPI.
struct RankFailed {
    core::Process process;
    std::string why;
};
/// A member has ended its Job. `all`: all members have, so no rank reaches another point.
struct ProgramEnding {
    bool all = false;
};

// ---- of the broker ----

struct TimerFired {
    Timer timer;
};
/// A user or a policy calls the resize off.
struct CallOff {
    std::string why;
};
/// Another broker has taken the job over. While the job had no broker, the sources have decided by
/// themselves.
struct TakenOver {
    bool committed = false;
    bool accepting = false;          ///< the leader is still in its accept
    std::set<core::GroupId> groups;  ///< new groups that may still have processes
};

using Event = std::variant<Begin, Recorded, NotRecorded, RankUp, GroupReady, RoundDone, Formed,
                           NewcomerLost, ProcessEnded, GroupGone, HostPrepared, SpawnAsked,
                           GateReached, GateLost, SpawnReturned, PortOpened, ConnectStarting,
                           ReadyToMerge, Bridged, SourceJoined, PointAnswered, Arrived, Progressed,
                           SwitchDone, RankFailed, ProgramEnding, TimerFired, CallOff, TakenOver>;

}  // namespace ductile::resize
