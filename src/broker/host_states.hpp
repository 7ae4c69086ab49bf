// What is known of a job's hosts and of its requests for more. Plain data, as a journal keeps it.
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

/// Of the wall clock: a broker that takes a job over has to read it.
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

namespace host {

/// Granted for a request that is not complete yet.
struct Reserved {
    rms::RequestId request;
    bool operator==(const Reserved&) const = default;
};
/// The job's, without an agent.
struct Idle {
    bool operator==(const Idle&) const = default;
};
/// Its agent has been started. `must_go`: the resource manager takes the host back then.
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
/// Its agent was lost, or its time has passed. What the job left there is being cleaned up.
struct Lost {
    bool revoked = false;
    bool operator==(const Lost&) const = default;
};
/// It was lost once and is cleaned up. The job keeps it, for when there is no other.
struct Avoided {
    bool operator==(const Avoided&) const = default;
};
/// Given back. The resource manager may grant it again.
struct Released {
    bool operator==(const Released&) const = default;
};

using State = std::variant<Reserved, Idle, Starting, Up, Draining, Lost, Avoided, Released>;

template <class... States>
bool is_one_of(const State& state) {
    return (std::holds_alternative<States>(state) || ...);
}

}  // namespace host

/// A host's position in HostTableState::hosts is its id for the job's life: none is ever removed,
/// and one that is granted again after its release has its id again.
struct KnownHost {
    core::Host host;
    rms::RequestId granted_by;  ///< the latest request that did; 0: the job began with it
    host::State state;
    bool failed = false;  ///< the job has lost it before, and not because it was taken back
    bool operator==(const KnownHost&) const = default;
};

/// Which part of a grant is of use: `first` slots, or `first + step`, `first + 2 * step`, ...
///
/// Example: a job of 6 ranks that may only have multiples of 4 can use 2, 6, 10, ... slots.
struct PartOfUse {
    int first = 1;
    int step = 1;
    bool operator==(const PartOfUse&) const = default;

    /// The most slots that are of use, out of so many.
    [[nodiscard]] int most_of(int slots) const {
        return slots < first ? 0 : first + (slots - first) / step * step;
    }
};

/// What is asked for, and what for.
struct HostNeed {
    core::TransactionId wanted_by;
    rms::HostRequest request;
    std::optional<PartOfUse> part;  ///< without it only all of the hosts are of use
    WallTime until;                 ///< then what has come is used, or given back
    bool operator==(const HostNeed&) const = default;
};

/// The resource manager owes hosts.
struct Waiting {
    HostNeed need;
    /// For it, also those that were given back since: another grant of them is a repetition.
    std::set<core::HostIndex> granted;
    /// A host of it was taken back meanwhile: another one is asked for in its place.
    bool was_revoked = false;
    bool operator==(const Waiting&) const = default;
};
/// Nothing more is wanted; the resource manager has not confirmed that yet. Until it has, it may
/// grant once more what was given back.
struct Cancelled {
    bool operator==(const Cancelled&) const = default;
};

/// A request that has not had its last answer.
struct OpenRequest {
    rms::RequestId id;
    std::variant<Waiting, Cancelled> state;
    bool operator==(const OpenRequest&) const = default;
};

struct HostTableState {
    std::vector<KnownHost> hosts;
    std::vector<OpenRequest> requests;
    int next_request = 1;
    bool ending = false;  ///< the job is: nothing is asked for, nothing kept
    bool operator==(const HostTableState&) const = default;
};

}  // namespace ductile::broker
