// What a resize hears. Pure data.
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
    phase,          ///< of the present state
    accept,         ///< the leader's accept
    newcomers_end,  ///< what must return before the newcomers can be ended
    switch_within,  ///< the program is to reach a resize point
    own_moves       ///< the program moves its own data
};

/// The resize is accepted.
struct Begin {};
/// The step that Record asked for is in the journal, or cannot be written there.
struct Recorded {};
struct NotRecorded {
    std::string why;
};

// ---- of new groups ----

/// A rank of a new group runs.
struct RankUp {
    core::Process process;
};
/// MPI runs in all of the group; these ports are open, one for each of its rounds.
struct GroupReady {
    core::GroupId group;
    int ranks = 0;
    std::vector<int> rounds;
    std::vector<std::string> ports;
};
/// The set of groups that `leading` leads has met another one.
struct RoundDone {
    core::GroupId leading;
    int round = 0;
};
/// The new groups are one communicator, as one of their processes says.
struct Formed {
    core::Process process;
};
/// A newcomer, or its host, is lost; the group may still be there.
struct NewcomerLost {
    std::string why;
    int code = 0;  ///< its exit code; 0: none that says it
};
/// Any process of the job, a newcomer or not.
struct ProcessEnded {
    core::Process process;
    std::string what;  ///< for messages: "rank g2.1 on node3 has ended"
    int code = 0;
};
/// Nothing of this new group is left on any host.
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
    std::string port;  ///< on which it accepts the new ranks
    Keys keys;         ///< for them
};
/// All ranks of the group wait at its gate; or one of them has ended before.
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
/// A leader has come out of accept or connect; over a spawn's intercommunicator: every process that
/// had a part in it.
struct Bridged {
    core::Process process;
    bool ok = false;
    std::string why;
    bool degraded = false;  ///< this process must not accept again
};

// ---- of the sources ----

/// A source has been joined with the newcomers in the background, or is out of MPI without.
struct SourceJoined {
    core::Process process;
    bool ok = false;
    std::string why;
    bool degraded = false;  ///< its MPI is not to be relied on
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
/// What a rank says of its progress.
enum class Work {
    step,          ///< in the switch, or of a newcomer that prepares for it
    prepares,      ///< the program, for the place of this source after the resize
    has_prepared,  ///< the program has ended that
    commits,       ///< rank 0: all sources have, before the data move
    moves,         ///< the program, its own data
    has_moved      ///< the program has ended that
};
/// A source is getting on with the resize, or a newcomer.
struct Progressed {
    core::Process process;
    Work work = Work::step;
};
/// What a source's time at the point is spent on; `stall`: all of it.
enum class SwitchTime { stall, vote, join, redistribute, commit, rebuild };

/// Bytes of a source: sent to others at the point, sent to them ahead of it, and the most memory
/// that it took.
enum class SwitchBytes { sent, sent_ahead, peak };

/// What a source says after the last vote.
struct SwitchReport {
    bool committed = false;
    bool degraded = false;
    bool unfinished = false;  ///< it will not finalise MPI
    std::string why;
    std::array<double, 6> times_s{};                      ///< by SwitchTime
    std::array<std::int64_t, 3> amounts{};                ///< by SwitchBytes
    plan::Executor redistribution = plan::Executor::p2p;  ///< that was used
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
/// A member has ended its Job. `all`: each of them has, so nobody reaches another point.
struct ProgramEnding {
    bool all = false;
};

// ---- of the broker ----

struct TimerFired {
    Timer timer;
};
/// Somebody calls the resize off.
struct CallOff {
    std::string why;
};
/// Another broker goes on with the job. The sources have decided by themselves meanwhile.
struct TakenOver {
    bool committed = false;
    bool accepting = false;          ///< the leader is still in its accept
    std::set<core::GroupId> groups;  ///< new groups of which something is left
};

using Event =
    std::variant<Begin, Recorded, NotRecorded, RankUp, GroupReady, RoundDone, Formed, NewcomerLost,
                 ProcessEnded, GroupGone, HostPrepared, SpawnAsked, GateReached, GateLost,
                 SpawnReturned, PortOpened, ConnectStarting, Bridged, SourceJoined, PointAnswered,
                 Arrived, Progressed, SwitchDone, ProgramEnding, TimerFired, CallOff, TakenOver>;

}  // namespace ductile::resize
