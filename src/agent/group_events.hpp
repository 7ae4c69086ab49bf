// The events of a group's part on this host, and the effects that follow. Pure.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/rank_life.hpp"

namespace ductile::agent {

/// The place of a rank among the group's ranks on this host.
using Place = std::size_t;

/// The process of the MPI's launcher that starts the ranks here (Open MPI): mpiexec, or the proxy
/// (a daemon) of an mpiexec on another host.
struct LauncherState {
    /// none: the agent starts the ranks itself, or this process has not started yet.
    enum class Process { none, runs, ended };
    Process process = Process::none;
    bool is_part = false;    ///< it belongs to a launcher run that began with another group
    bool stays = false;      ///< it is a proxy that only its mpiexec ends
    bool is_needed = false;  ///< it also runs other groups, which continue
    /// Companion processes, which have requested proxies on other hosts, wait for an answer
    /// (remote_parts.hpp).
    bool holds_companions = false;
    /// The group's parts on other hosts have ended, and no companion waits.
    bool others_ended = true;
    bool operator==(const LauncherState&) const = default;
};

enum class GroupTimer {
    start,   ///< the time limit for the start of the ranks
    joined,  ///< the time limit for newcomers without a broker to become members
    leave,   ///< the time limit for the end of a rank that has left
    kill,    ///< the time limit for the end of the launcher after its ranks
    look,    ///< time to look whether a process of the group is left
};

/// Why a group has ended.
enum class GroupCause {
    none,     ///< its ranks have ended, or were killed for any other reason
    late,     ///< its ranks did not start in time
    overdue,  ///< its launcher did not end after its ranks
};

namespace group_event {
struct OfRank {
    Place place = 0;
    rank_event::Any what;
};
/// The ranks start later. At `until` the agent gives them up.
struct RanksExpected {
    Time until;
};
/// A newcomer reports that it is a member of the job.
struct Joined {};
/// The broker is gone. Newcomers end at `newcomers_until` if they are not members by then.
struct BrokerLost {
    Time newcomers_until;
};
struct BrokerBack {};
struct LeaveOrdered {
    std::vector<Place> places;
    Time kill_at;
};
/// The broker orders the end of the group, as far as other groups allow it.
struct EndOrdered {};
/// Kill all processes of the group.
struct KillOrdered {};
struct LauncherChanged {
    LauncherState now;
};
struct TimerFired {
    GroupTimer which;
};
/// The result of a look at the host: whether processes of the group are left that are not the
/// agent's own children.
struct Looked {
    bool something_left = false;
};
using Any = std::variant<OfRank, RanksExpected, Joined, BrokerLost, BrokerBack, LeaveOrdered,
                         EndOrdered, KillOrdered, LauncherChanged, TimerFired, Looked>;
}  // namespace group_event

namespace group_effect {
struct StartTimer {
    GroupTimer which;
    Time at;
};
struct StopTimer {
    GroupTimer which;
};
/// Tell the host services the start of a rank. ServeEnd tells them its end. Each comes at most
/// once for a rank, and neither comes for a rank that was never started.
struct ServeStart {
    Place place;
};
struct ServeEnd {
    Place place;
};
struct ReportRankEnd {
    Place place;
};
/// A rank was told to leave.
struct RankLeaves {
    Place place;
};
struct KillRank {
    Place place;
};
/// Note the files of all processes of the group, because some of these processes are killed next.
struct NoteFiles {};
/// Kill all processes of the group, also the launcher.
struct KillAll {};
/// Look at the host. Looked follows.
struct Look {};
/// Kill the processes that the last look has found.
struct KillLeft {};
/// Let the companions end: nobody will report the end of the parts on other hosts.
struct ReleaseCompanions {};
struct ReportEnd {
    GroupCause cause;
};
/// A line for the log: "group 3 LINE", or "rank 2 of group 3 LINE".
struct Log {
    std::string line;
    std::optional<Place> place = std::nullopt;
};
using Any =
    std::variant<StartTimer, StopTimer, ServeStart, ServeEnd, ReportRankEnd, RankLeaves, KillRank,
                 NoteFiles, KillAll, Look, KillLeft, ReleaseCompanions, ReportEnd, Log>;
}  // namespace group_effect

using GroupEffects = std::vector<group_effect::Any>;

}  // namespace ductile::agent
