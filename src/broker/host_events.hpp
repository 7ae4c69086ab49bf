// What happens to a job's hosts, and what is done about it.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "broker/host_states.hpp"

namespace ductile::broker {

// --- from the controller

/// Hosts are needed. Answered by HostsReady or HostsDenied, once.
struct HostsWanted {
    HostNeed need;
};
/// Whoever wanted hosts does not any more; HostsReady or HostsDenied does not come.
struct HostsWithdrawn {
    core::TransactionId wanted_by;
};
/// Nobody has a use for this host, which has no agent. It is given back where that helps anybody.
struct HostUnneeded {
    core::HostIndex host;
};
struct AgentStarting {
    core::HostIndex host;
};
struct AgentDraining {
    core::HostIndex host;
};
/// All hosts are given back as soon as nothing of the job is on them.
struct JobEnding {};
/// This broker has taken the job over: what is open is asked for again, and what the last broker's
/// agents left on lost hosts is cleaned up no further.
struct TakenOver {};
struct TimeIs {
    WallTime now;
};

// --- from the agents

struct AgentUp {
    core::HostIndex host;
};
/// The agent has ended in order, or what a lost one left has been cleaned up as far as it could
/// be: nothing of the job is on the host.
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

// --- to the controller

/// These hosts may be used: all that were wanted, or a part that is of use.
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
/// The resource manager takes the host back: the job has to leave it in time.
struct HostMustGo {
    core::HostIndex host;
    WallTime deadline;
    bool operator==(const HostMustGo&) const = default;
};
/// The host cannot be used. If it had an agent, nothing of that counts any more, and AgentGone is
/// due when what the agent left has been cleaned up.
struct HostLost {
    core::HostIndex host;
    std::string why;
    bool operator==(const HostLost&) const = default;
};

using HostEffect = std::variant<AskHosts, CancelRequest, ReleaseHost, HostsReady, HostsDenied,
                                HostMustGo, HostLost>;
using HostEffects = std::vector<HostEffect>;

}  // namespace ductile::broker
