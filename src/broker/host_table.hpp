// The hosts of a job, from the request to the release. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/host_events.hpp"

namespace ductile::broker {

/// Whether the job keeps hosts that it does not need at the moment, or gives them back
/// (rms::ResourceManager::takes_back). After rms::Gone the job keeps them.
enum class IdleHosts { kept, given_back };

/// host::State lists the states of a host. A request waits or is cancelled. The table ignores a
/// denial that it no longer expects. If hosts are granted that it no longer expects, it treats them
/// as hosts that the job does not need (IdleHosts).
///
/// The table gives a host back only when no process of the job is on it, and once for each grant.
/// It ignores a grant that is a repetition: the job has the host, or the host was granted before
/// for this request (if the request is over: for this request or a later one). After a request was
/// cancelled, and before it is over, the resource manager can grant a host for it again that the
/// job has given back. This is no repetition: the table gives the host back once more.
class HostTable {
  public:
    /// `held`: the hosts with which the job begins.
    HostTable(IdleHosts idle, const core::Allocation& held);
    HostTable(IdleHosts idle, HostTableState state) : idle_(idle), state_(std::move(state)) {}

    [[nodiscard]] HostEffects on(const HostEvent& event);

    [[nodiscard]] const HostTableState& state() const { return state_; }
    /// All hosts by their ids. A host has no slots here if the job does not have it (Reserved,
    /// Released). A host whose agent ends or was lost (Draining, Lost) has none either if the job
    /// gives idle hosts back or is ending.
    [[nodiscard]] core::Allocation allocation() const;
    /// The same as allocation(), without slots on the hosts of revoked().
    [[nodiscard]] core::Allocation lasting() const;
    /// The same as lasting(), without slots on hosts that were lost.
    [[nodiscard]] core::Allocation dependable() const;
    /// The hosts that the resource manager has revoked and that still have an agent, with the
    /// deadlines.
    [[nodiscard]] std::map<core::HostIndex, WallTime> revoked() const;
    /// The names of hosts that the job has lost and does not want again.
    [[nodiscard]] std::vector<std::string> failed() const;
    /// The hosts in the state Idle. An operation may use them. Report those that no operation needs
    /// by HostUnneeded.
    [[nodiscard]] std::vector<core::HostIndex> idle_hosts() const;
    /// The time at which the next TimeIs is due.
    [[nodiscard]] std::optional<WallTime> next_deadline() const;
    [[nodiscard]] bool all_released() const;
    /// Why the job can get no more hosts from now on; empty if it can.
    [[nodiscard]] const std::string& no_more() const { return no_more_; }

  private:
    [[nodiscard]] bool stays(const host::State& state) const;

    IdleHosts idle_;
    HostTableState state_;
    std::string no_more_;
};

/// All hosts that were granted and were not given back.
[[nodiscard]] core::Allocation held_hosts(const HostTableState& state);

[[nodiscard]] std::optional<core::HostIndex> find_host(const HostTableState& state,
                                                       std::string_view name);

}  // namespace ductile::broker
