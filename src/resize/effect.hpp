// What a resize asks its broker to do. Pure data. The broker carries the effects out in order.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/layout.hpp"
#include "resize/event.hpp"
#include "resize/group_connector.hpp"
#include "resize/spawn_tracker.hpp"

namespace ductile::resize {

/// Write this step to the journal. `required`: answer immediately with Recorded or NotRecorded,
/// before any other event. Nothing that the step announces happens before the answer.
struct Record {
    std::string step;
    bool required = false;
    bool operator==(const Record&) const = default;
};

// ---- groups ----

/// The ids and worlds of the new groups count as used from now on.
struct UseGroups {
    bool operator==(const UseGroups&) const = default;
};
/// Start all groups that the plan adds.
struct StartGroups {
    bool operator==(const StartGroups&) const = default;
};
/// End the processes that a group still has. `undone`: also end processes of the group that start
/// later.
struct KillGroup {
    core::GroupId group;
    bool undone = false;
    bool operator==(const KillGroup&) const = default;
};
/// The processes of a spawned group may begin. They get these keys from the process that starts
/// them.
struct ReleaseGroup {
    core::GroupId group;
    Keys keys;
    bool operator==(const ReleaseGroup&) const = default;
};
struct AnswerSpawn {
    core::HostIndex host;
    core::Process caller;
    bool ok = false;
    bool operator==(const AnswerSpawn&) const = default;
};
/// Start an abort connector, which connects to this port in the place of a lost process. It runs on
/// `host`. Without `host` it runs on the host of the job's rank 0.
struct ConnectAndAbort {
    std::string port;
    std::optional<core::HostIndex> host;
    bool operator==(const ConnectAndAbort&) const = default;
};

// ---- what ranks are told ----

/// All ranks of these groups: accept or connect now.
struct TellConnectRound {
    ConnectRoundOrder order;
    bool operator==(const TellConnectRound&) const = default;
};
/// Sources: a resize is (or is no longer) under way.
struct TellPending {
    bool on = false;
    bool operator==(const TellPending&) const = default;
};
/// Newcomers: the resize is called off. Those that run start no more groups.
struct TellNewcomersCalledOff {
    bool operator==(const TellNewcomersCalledOff&) const = default;
};
/// Rank 0: open a port.
struct TellOpenPort {
    bool operator==(const TellOpenPort&) const = default;
};
/// The newcomers' leader: connect.
struct TellConnect {
    core::Process leader;
    std::string port;
    bool operator==(const TellConnect&) const = default;
};
/// Rank 0: accept.
struct TellAccept {
    bool operator==(const TellAccept&) const = default;
};
/// A process: start this group.
struct TellSpawn {
    SpawnCall call;
    bool operator==(const TellSpawn&) const = default;
};
/// Processes that have started the new group: its ranks wait for the merge that makes the bridge.
struct TellMerge {
    std::vector<core::Process> starters;
    bool operator==(const TellMerge&) const = default;
};
/// All processes that start groups, after their last TellSpawn. `peers`: the sources among them, in
/// ascending order.
struct TellSharePorts {
    std::vector<core::Process> starters;
    std::vector<core::Rank> peers;
    bool operator==(const TellSharePorts&) const = default;
};
/// Sources: how many points have you entered?
struct TellPrepare {
    int attempt = 0;
    bool operator==(const TellPrepare&) const = default;
};
/// Sources, and parked ranks that come back: the point. 0: the Prepare is cancelled.
struct TellDecision {
    std::int64_t point = 0;
    bool operator==(const TellDecision&) const = default;
};
/// Sources that wait at the point: the newcomers have started.
struct TellProceed {
    bool operator==(const TellProceed&) const = default;
};
/// Newcomers: enter the join. `background`: helper threads of the sources enter it, too.
struct TellJoin {
    core::GroupId leader;
    bool background = false;
    bool operator==(const TellJoin&) const = default;
};
/// Newcomers that are joined in the background: the sources stand at the point.
struct TellAtPoint {
    bool operator==(const TellAtPoint&) const = default;
};
/// Sources: vote no. A source in a background join leaves the join.
struct TellAbandon {
    std::string why;
    bool operator==(const TellAbandon&) const = default;
};
/// Leavers: all other ranks have continued.
struct TellExitPermitted {
    bool operator==(const TellExitPermitted&) const = default;
};
/// Members and parked ranks: some ranks will not finalise MPI.
struct TellSkipFinalize {
    bool operator==(const TellSkipFinalize&) const = default;
};

// ---- the job ----

/// From now on the job has the layout `after` of the plan.
struct Commit {
    std::int64_t point = 0;
    bool operator==(const Commit&) const = default;
};
struct ArmTimer {
    Timer timer;
    std::chrono::duration<double> after;
    bool operator==(const ArmTimer&) const = default;
};
struct DisarmTimer {
    Timer timer;
    bool operator==(const DisarmTimer&) const = default;
};
/// Write the time of this event to the record of the resize.
struct Mark {
    std::string what;
    bool operator==(const Mark&) const = default;
};
/// Answer the request now, before the resize is over. The resize will be rolled back.
struct AnswerEarly {
    std::string why;
    bool operator==(const AnswerEarly&) const = default;
};
/// The resize is over. Nothing of it remains to be done.
struct Finished {
    bool committed = false;
    std::string why;          ///< the reason of a rollback
    bool called_off = false;  ///< the rest of the request is cancelled, too
    bool operator==(const Finished&) const = default;
};
/// The job cannot continue.
struct EndJob {
    int code = 0;
    std::string why;
    bool operator==(const EndJob&) const = default;
};

using Effect = std::variant<Record, UseGroups, StartGroups, KillGroup, ReleaseGroup, AnswerSpawn,
                            ConnectAndAbort, TellConnectRound, TellPending, TellNewcomersCalledOff,
                            TellOpenPort, TellConnect, TellAccept, TellSpawn, TellMerge,
                            TellSharePorts, TellPrepare, TellDecision, TellProceed, TellJoin,
                            TellAtPoint, TellAbandon, TellExitPermitted, TellSkipFinalize, Commit,
                            ArmTimer, DisarmTimer, Mark, AnswerEarly, Finished, EndJob>;
using Effects = std::vector<Effect>;

}  // namespace ductile::resize
