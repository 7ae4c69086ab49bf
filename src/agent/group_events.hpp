// What happens to a group's part on this host, and what is to be done then. Pure.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/rank_life.hpp"

namespace ductile::agent {

/// The place of a rank among the group's ranks on this host.
using Place = std::size_t;

/// The launcher run (or daemon of one) that starts the ranks here; none where the agent does.
struct LauncherState {
    enum class Process { none, runs, ended };
    Process process = Process::none;
    bool is_part = false;           ///< of a launcher run that began elsewhere with other ranks
    bool stays = false;             ///< a daemon: its launcher ends it, nobody else
    bool is_needed = false;         ///< it carries other groups, which go on
    bool holds_companions = false;  ///< what it has asked for on other hosts waits for its answer
    bool others_ended = true;       ///< the group's parts on other hosts have ended
    bool operator==(const LauncherState&) const = default;
};

enum class GroupTimer {
    start,   ///< the ranks were to come
    joined,  ///< newcomers whose broker is lost were to become members
    leave,   ///< a rank that has left was to end
    kill,    ///< the launcher was to end after its ranks
    look,    ///< is anything of the group left?
};

/// Why a group has ended.
enum class GroupCause {
    none,     ///< its ranks have ended, or were killed by order
    late,     ///< its ranks did not come in time
    overdue,  ///< its launcher did not end after its ranks
};

namespace group_event {
struct OfRank {
    Place place = 0;
    rank_event::Any what;
};
/// The ranks do not come at once. At `until` their time is over.
struct RanksExpected {
    Time until;
};
/// A newcomer says that it is a member of the job.
struct Joined {};
/// Newcomers end at `newcomers_until` unless they have become members by then.
struct BrokerLost {
    Time newcomers_until;
};
struct BrokerBack {};
struct LeaveOrdered {
    std::vector<Place> places;
    Time kill_at;
};
/// The broker wants the group ended, as far as other groups allow.
struct EndOrdered {};
/// All of it is to be killed.
struct KillOrdered {};
struct LauncherChanged {
    LauncherState now;
};
struct TimerFired {
    GroupTimer which;
};
/// The host was looked at: processes of the group that are not the agent's own children.
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
/// Host services hear of a rank's start and of its end, once each.
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
/// The files of all processes of the group are noted: some of them are killed next.
struct NoteFiles {};
/// All processes of the group are killed, the launcher included.
struct KillAll {};
/// Looked follows.
struct Look {};
/// Kills what the last look has found.
struct KillLeft {};
/// Nobody will say any more when the parts on other hosts have ended.
struct ReleaseCompanions {};
struct ReportEnd {
    GroupCause cause;
};
/// For those who look for a fault: "group 3 LINE", or "rank 2 of group 3 LINE".
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
