// Requests to a resource manager, and its answers. Plain data.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "core/allocation.hpp"
#include "core/ids.hpp"

namespace ductile::rms {

/// The id of a request for hosts. It counts up over the job's life and is never reused.
using RequestId = core::Id<struct HostRequestTag>;

/// The properties that each host of a request must have.
struct HostConstraints {
    int min_slots = 1;
    std::vector<std::string> exclude;  ///< names of hosts that the job has lost
    bool operator==(const HostConstraints&) const = default;
};

struct HostRequest {
    int hosts = 1;
    HostConstraints constraints;
    /// The request gets a higher priority than the waiting jobs, if the resource manager can do
    /// this and the user has the right to it. With this priority, only hosts that are idle now are
    /// granted. Used when the waiting jobs cannot use the idle hosts.
    bool before_waiting_jobs = false;
    bool operator==(const HostRequest&) const = default;
};

/// Hosts for a request: all of them, or a part. The job has them until it releases them.
struct Granted {
    RequestId id;
    std::vector<core::Host> hosts;
    bool last = true;  ///< nothing more comes for this request
    bool operator==(const Granted&) const = default;
};

/// Nothing more comes for this request. Hosts that were granted before stay granted.
struct Denied {
    RequestId id;
    std::string reason;
    bool operator==(const Denied&) const = default;
};

/// The job must give up a host. The host is gone when the time `within` has passed (0: now).
struct Revoked {
    std::string host;
    std::chrono::milliseconds within{0};
    bool operator==(const Revoked&) const = default;
};

/// The resource manager has forgotten all requests. The job must repeat them.
struct Forgotten {
    bool operator==(const Forgotten&) const = default;
};

/// The resource manager has ended. From now on no hosts are granted or revoked, and nobody learns
/// of released hosts. The job keeps its hosts.
struct Gone {
    std::string reason;
    bool operator==(const Gone&) const = default;
};

using HostAnswer = std::variant<Granted, Denied, Revoked, Forgotten, Gone>;
using OnHostAnswer = std::function<void(const HostAnswer&)>;
using OnNotice = std::function<void(const std::string&)>;

}  // namespace ductile::rms
