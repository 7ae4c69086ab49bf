// How each event changes the state of a HostTable. host_requests.cpp and host_lives.cpp implement
// these functions. Only these two files and host_table.cpp call them.
#pragma once

#include <functional>

#include "broker/host_table.hpp"

namespace ductile::broker {

struct HostStep {
    IdleHosts& idle;
    std::string& no_more;
    HostTableState& table;
    HostEffects& out;

    [[nodiscard]] KnownHost& at(core::HostIndex host) const {
        return table.hosts.at(static_cast<std::size_t>(host.value));
    }
    void give_back(core::HostIndex host) const {
        at(host).state = host::Released{};
        out.push_back(ReleaseHost{host, at(host).host.name});
    }
    /// Gives the host back if the job gives idle hosts back or is ending. Otherwise sets its state
    /// to `when_kept`. Call this when no process of the job is on the host any more.
    void set_free(core::HostIndex host, host::State when_kept) const {
        if (idle == IdleHosts::given_back || table.ending)
            give_back(host);
        else
            at(host).state = when_kept;
    }
};

// host_requests.cpp
void apply(HostStep& step, const HostsWanted& wanted);
void apply(HostStep& step, const HostsWithdrawn& withdrawn);
void apply(HostStep& step, const rms::Granted& granted);
void apply(HostStep& step, const rms::Denied& denied);
void apply(HostStep& step, const rms::Forgotten& forgotten);
/// The resource manager has revoked the host. So another grant of this host is not a repetition.
void forget_grants_of(HostStep& step, core::HostIndex host);
void cancel_requests(HostStep& step, const std::function<bool(const HostNeed&)>& which);
void end_late_requests(HostStep& step, WallTime now);

// host_lives.cpp
void apply(HostStep& step, const HostUnneeded& unneeded);
void apply(HostStep& step, const AgentStarting& starting);
void apply(HostStep& step, const AgentDraining& draining);
void apply(HostStep& step, const AgentUp& up);
void apply(HostStep& step, const AgentGone& gone);
void apply(HostStep& step, const AgentLost& lost);
void apply(HostStep& step, const HostRevoked& revoked);
void apply(HostStep& step, const rms::Gone& gone);
void apply(HostStep& step, const JobEnding& ending);
void apply(HostStep& step, const TakenOver& taken);
void apply(HostStep& step, const TimeIs& time);

}  // namespace ductile::broker
