// What is asked of a resource manager, and what it answers. Plain data.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "core/allocation.hpp"
#include "core/ids.hpp"

namespace ductile::rms {

/// A request for hosts: counts up over the job's life and is never reused.
using RequestId = core::Id<struct HostRequestTag>;

/// What each host of a request has to be.
struct HostConstraints {
    int min_slots = 1;
    std::vector<std::string> exclude;  ///< by name: hosts that the job has lost
    bool operator==(const HostConstraints&) const = default;
};

struct HostRequest {
    int hosts = 1;
    HostConstraints constraints;
    bool operator==(const HostRequest&) const = default;
};

/// Hosts for a request: all of them, or a part. They are the job's until it releases them.
struct Granted {
    RequestId id;
    std::vector<core::Host> hosts;
    bool last = true;  ///< nothing more comes for this request
    bool operator==(const Granted&) const = default;
};

/// Nothing more comes for this request.
struct Denied {
    RequestId id;
    std::string reason;
    bool operator==(const Denied&) const = default;
};

/// A host is taken back: it is gone when this time has passed.
struct Revoked {
    std::string host;
    std::chrono::milliseconds within{0};
    bool operator==(const Revoked&) const = default;
};

/// It does not know of any request any more, and has to be asked again.
struct Forgotten {
    bool operator==(const Forgotten&) const = default;
};

/// It has ended for good: nothing is granted or taken back any more. The hosts stay the job's.
struct Gone {
    std::string reason;
    bool operator==(const Gone&) const = default;
};

using HostAnswer = std::variant<Granted, Denied, Revoked, Forgotten, Gone>;
using OnHostAnswer = std::function<void(const HostAnswer&)>;
using OnNotice = std::function<void(const std::string&)>;

}  // namespace ductile::rms
