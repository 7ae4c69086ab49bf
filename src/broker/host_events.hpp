// The events of a job's hosts, and the effects that follow.
#pragma once

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "broker/host_states.hpp"

namespace ductile::broker {

// --- from the other parts of the broker

/// An operation (a resize, or the start of the job) needs hosts. One HostsReady or HostsDenied is
/// the answer.
struct HostsWanted {
    HostNeed need;
};
/// The operation does not need the hosts any more. No HostsReady or HostsDenied follows.
struct HostsWithdrawn {
    core::TransactionId wanted_by;
};
/// The host has no agent, and the job does not need the host. The host is given back, unless the
/// job keeps such hosts (IdleHosts).
struct HostUnneeded {
    core::HostIndex host;
};
struct AgentStarting {
    core::HostIndex host;
};
struct AgentDraining {
    core::HostIndex host;
};
/// The job is ending. Open requests are cancelled, and no HostsReady or HostsDenied follows. Each
/// host is given back as soon as no process of the job is on it.
struct JobEnding {};
/// This broker has taken the job over. It sends the open requests again, and the cancellations that
/// were not confirmed. It does not continue the clean-up of hosts that the former broker lost:
/// these hosts count as cleaned up.
struct TakenOver {
    std::set<core::HostIndex> lost;  ///< hosts that this broker has lost meanwhile, and cleans up
};
struct TimeIs {
    WallTime now;
};

// --- from the agents

struct AgentUp {
    core::HostIndex host;
};
/// The agent has ended normally, or the clean-up after a lost agent is over. No process of the job
/// is on the host, as far as the broker knows.
struct AgentGone {
    core::HostIndex host;
};
struct AgentLost {
    core::HostIndex host;
    std::string why;
};

// --- from the resource manager: rms::Granted, rms::Denied, rms::Forgotten, rms::Gone, and

struct HostRevoked {
    std::string host;
    WallTime deadline;
};

using HostEvent =
    std::variant<HostsWanted, HostsWithdrawn, HostUnneeded, AgentStarting, AgentDraining, JobEnding,
                 TakenOver, TimeIs, AgentUp, AgentGone, AgentLost, rms::Granted, rms::Denied,
                 rms::Forgotten, rms::Gone, HostRevoked>;

// --- to the resource manager

struct AskHosts {
    rms::RequestId id;
    rms::HostRequest request;
    bool operator==(const AskHosts&) const = default;
};
struct CancelRequest {
    rms::RequestId id;
    bool operator==(const CancelRequest&) const = default;
};
struct ReleaseHost {
    core::HostIndex host;
    std::string name;
    bool operator==(const ReleaseHost&) const = default;
};

// --- to the other parts of the broker

/// The operation may use these hosts: as many as it wants, or fewer if it can use them (PartOfUse).
struct HostsReady {
    core::TransactionId wanted_by;
    std::vector<core::HostIndex> hosts;
    bool operator==(const HostsReady&) const = default;
};
struct HostsDenied {
    core::TransactionId wanted_by;
    std::string reason;
    bool operator==(const HostsDenied&) const = default;
};
/// The resource manager has revoked the host. The job must leave the host before the deadline.
struct HostMustGo {
    core::HostIndex host;
    WallTime deadline;
    bool operator==(const HostMustGo&) const = default;
};
/// The host cannot be used. If it had an agent, the agent is ignored from now on, and AgentGone
/// must follow when the clean-up is over.
struct HostLost {
    core::HostIndex host;
    std::string why;
    bool operator==(const HostLost&) const = default;
};

using HostEffect = std::variant<AskHosts, CancelRequest, ReleaseHost, HostsReady, HostsDenied,
                                HostMustGo, HostLost>;
using HostEffects = std::vector<HostEffect>;

}  // namespace ductile::broker
