// The hosts of a job: asked for, granted, used, taken back, given back. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/host_events.hpp"

namespace ductile::broker {

/// What becomes of hosts that the job has no use for at the moment
/// (rms::ResourceManager::takes_back; after rms::Gone they are kept).
enum class IdleHosts { kept, given_back };

/// Each host is reserved, idle, in use (by an agent that starts, is up or drains), lost, or
/// released; each request waits or is cancelled. What is no longer expected is passed over, or
/// given back when it is a host.
///
/// A host is given back only when nothing of the job is on it, and once for each time that it was
/// granted. A name that is granted while the job has it, or a second time by the same request, is a
/// repetition and is dropped; but for a request that is being cancelled, which may grant what was
/// given back: that is given back again.
class HostTable {
  public:
    /// `held`: what the job begins with.
    HostTable(IdleHosts idle, const core::Allocation& held);
    HostTable(IdleHosts idle, HostTableState state) : idle_(idle), state_(std::move(state)) {}

    [[nodiscard]] HostEffects on(const HostEvent& event);

    [[nodiscard]] const HostTableState& state() const { return state_; }
    /// All hosts by their ids. Those that are not the job's yet, or not for long, have no slots.
    [[nodiscard]] core::Allocation allocation() const;
    /// Less those that are about to be taken back.
    [[nodiscard]] core::Allocation lasting() const;
    /// Less those that were lost, too.
    [[nodiscard]] core::Allocation dependable() const;
    /// Those that are about to be taken back, and when.
    [[nodiscard]] std::map<core::HostIndex, WallTime> revoked() const;
    /// Those that the job has lost, which it does not want again.
    [[nodiscard]] std::vector<std::string> failed() const;
    /// Those without an agent, which an operation may use. What none uses is to be HostUnneeded.
    [[nodiscard]] std::vector<core::HostIndex> idle_hosts() const;
    /// When TimeIs is due next.
    [[nodiscard]] std::optional<WallTime> next_deadline() const;
    [[nodiscard]] bool all_released() const;
    /// Why no more can be had from now on; empty where they can.
    [[nodiscard]] const std::string& no_more() const { return no_more_; }

  private:
    [[nodiscard]] bool stays(const host::State& state) const;

    IdleHosts idle_;
    HostTableState state_;
    std::string no_more_;
};

/// Those that are the job's, by any request.
[[nodiscard]] core::Allocation held_hosts(const HostTableState& state);

[[nodiscard]] std::optional<core::HostIndex> find_host(const HostTableState& state,
                                                       std::string_view name);

}  // namespace ductile::broker
