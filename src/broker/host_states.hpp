// What a broker knows of a job's hosts and of its requests for more. Plain data for the journal.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/allocation.hpp"
#include "core/ids.hpp"
#include "rms/host_request.hpp"

namespace ductile::broker {

/// A time of the wall clock, so that the next broker of the job can read it.
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

namespace host {

/// The host is granted for a request that is not complete yet.
struct Reserved {
    rms::RequestId request;
    bool operator==(const Reserved&) const = default;
};
/// The job has this host. No agent runs there.
struct Idle {
    bool operator==(const Idle&) const = default;
};
/// Its agent has been started. `must_go`: the deadline if the resource manager has revoked the
/// host.
struct Starting {
    std::optional<WallTime> must_go;
    bool operator==(const Starting&) const = default;
};
/// Its agent is connected.
struct Up {
    std::optional<WallTime> must_go;
    bool operator==(const Up&) const = default;
};
/// Its agent ends when its ranks have ended.
struct Draining {
    std::optional<WallTime> must_go;
    bool operator==(const Draining&) const = default;
};
/// Its agent was lost, or the host was revoked and its deadline has passed. What the job left there
/// is being cleaned up.
struct Lost {
    bool revoked = false;
    bool operator==(const Lost&) const = default;
};
/// The host was lost once and has been cleaned up. The job uses it only if no other host is free.
struct Avoided {
    bool operator==(const Avoided&) const = default;
};
/// The host is given back. The resource manager may grant it again.
struct Released {
    bool operator==(const Released&) const = default;
};

using State = std::variant<Reserved, Idle, Starting, Up, Draining, Lost, Avoided, Released>;

template <class... States>
bool is_one_of(const State& state) {
    return (std::holds_alternative<States>(state) || ...);
}

}  // namespace host

/// A host's position in HostTableState::hosts is its id for the job's life. No host is ever
/// removed. A host that is granted again after its release has the same id again.
struct KnownHost {
    core::Host host;
    rms::RequestId granted_by;  ///< the latest request that granted it; 0: from the start
    host::State state;
    bool failed = false;  ///< the job has lost it before, except by a revocation
    bool operator==(const KnownHost&) const = default;
};

/// Which numbers of slots the job can use: `first`, `first + step`, `first + 2 * step`, ...
///
/// Example: a job of 6 ranks that may only have multiples of 4 can use 2, 6, 10, ... more slots.
struct PartOfUse {
    int first = 1;
    int step = 1;
    bool operator==(const PartOfUse&) const = default;

    /// The largest number of slots that the job can use, if it gets `slots` slots.
    [[nodiscard]] int most_of(int slots) const {
        return slots < first ? 0 : first + (slots - first) / step * step;
    }
};

/// Hosts that an operation needs.
struct HostNeed {
    core::TransactionId wanted_by;
    rms::HostRequest request;
    std::optional<PartOfUse> part;  ///< none: the job can only use all hosts together
    WallTime until;                 ///< then the job uses or gives back the granted hosts
    bool operator==(const HostNeed&) const = default;
};

/// The request waits for hosts.
struct Waiting {
    HostNeed need;
    /// All hosts granted for the request, also those that the job has given back since, but not
    /// those that were revoked. A second grant of a host in this set is a repetition.
    std::set<core::HostIndex> granted;
    /// The resource manager has revoked a granted host: the job requests another one instead.
    bool was_revoked = false;
    bool operator==(const Waiting&) const = default;
};
/// The request is cancelled, and the resource manager has not confirmed this yet. Until then the
/// resource manager may grant hosts again that were given back.
struct Cancelled {
    bool operator==(const Cancelled&) const = default;
};

/// A request to the resource manager, before its last answer.
struct OpenRequest {
    rms::RequestId id;
    std::variant<Waiting, Cancelled> state;
    bool operator==(const OpenRequest&) const = default;
};

struct HostTableState {
    std::vector<KnownHost> hosts;
    std::vector<OpenRequest> requests;
    int next_request = 1;
    bool ending = false;  ///< the job is ending: it requests and keeps no hosts
    bool operator==(const HostTableState&) const = default;
};

}  // namespace ductile::broker
