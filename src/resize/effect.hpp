// What a resize asks of its broker. Pure data; carried out in order.
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

/// Write this step to the journal. `required`: answer with Recorded or NotRecorded at once, before
/// any other event; nothing that the step announces happens before that.
struct Record {
    std::string step;
    bool required = false;
    bool operator==(const Record&) const = default;
};

// ---- groups ----

/// Their ids and worlds count as used from now on.
struct UseGroups {
    bool operator==(const UseGroups&) const = default;
};
/// Start all groups that the plan adds.
struct StartGroups {
    bool operator==(const StartGroups&) const = default;
};
/// End what is left of a group. `undone`: for good, wherever something of it still comes up.
struct KillGroup {
    core::GroupId group;
    bool undone = false;
    bool operator==(const KillGroup&) const = default;
};
/// A spawned group's processes begin, with these keys of who starts them.
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
/// A process of ours connects to this port in the place of one that is lost. On the host of the
/// job's rank 0, or on `host`.
struct ConnectAndAbort {
    std::string port;
    std::optional<core::HostIndex> host;
    bool operator==(const ConnectAndAbort&) const = default;
};

// ---- what ranks are told ----

/// All ranks of these groups: meet now.
struct TellConnectRound {
    ConnectRoundOrder order;
    bool operator==(const TellConnectRound&) const = default;
};
/// Sources: a resize is (or is no longer) under way.
struct TellPending {
    bool on = false;
    bool operator==(const TellPending&) const = default;
};
/// Newcomers: it is called off; who is up starts no more groups.
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
/// All who start groups, after their last TellSpawn. `peers`: the sources among them, rising.
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
/// Sources, and parked ranks that come back: the point; 0: the question is called off.
struct TellDecision {
    std::int64_t point = 0;
    bool operator==(const TellDecision&) const = default;
};
/// Sources that wait at the point: the newcomers are there.
struct TellProceed {
    bool operator==(const TellProceed&) const = default;
};
/// Newcomers: enter the join. `background`: the sources, too, by helpers.
struct TellJoin {
    core::GroupId leader;
    bool background = false;
    bool operator==(const TellJoin&) const = default;
};
/// Newcomers that are joined: the sources stand at the point.
struct TellAtPoint {
    bool operator==(const TellAtPoint&) const = default;
};
/// Sources: vote no; who is being joined in the background leaves the join.
struct TellAbandon {
    std::string why;
    bool operator==(const TellAbandon&) const = default;
};
/// Leavers: all others have gone on.
struct TellExitPermitted {
    bool operator==(const TellExitPermitted&) const = default;
};
/// Members and parked ranks: not all will finalise MPI.
struct TellSkipFinalize {
    bool operator==(const TellSkipFinalize&) const = default;
};

// ---- the job ----

/// The job has the layout of `after` from now on.
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
/// When this happened is part of the resize's record.
struct Mark {
    std::string what;
    bool operator==(const Mark&) const = default;
};
/// Whoever waits for the resize need wait no longer: it is going to be rolled back.
struct AnswerEarly {
    std::string why;
    bool operator==(const AnswerEarly&) const = default;
};
/// The resize is over: nothing of it is left to do.
struct Finished {
    bool committed = false;
    std::string why;          ///< of a rollback
    bool called_off = false;  ///< nothing that was to follow it is to follow
    bool operator==(const Finished&) const = default;
};
/// The job cannot go on.
struct EndJob {
    int code = 0;
    std::string why;
    bool operator==(const EndJob&) const = default;
};

using Effect = std::variant<Record, UseGroups, StartGroups, KillGroup, ReleaseGroup, AnswerSpawn,
                            ConnectAndAbort, TellConnectRound, TellPending, TellNewcomersCalledOff,
                            TellOpenPort, TellConnect, TellAccept, TellSpawn, TellSharePorts,
                            TellPrepare, TellDecision, TellProceed, TellJoin, TellAtPoint,
                            TellAbandon, TellExitPermitted, TellSkipFinalize, Commit, ArmTimer,
                            DisarmTimer, Mark, AnswerEarly, Finished, EndJob>;
using Effects = std::vector<Effect>;

}  // namespace ductile::resize
