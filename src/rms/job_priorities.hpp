// A resource manager that can raise the priority of a waiting job, for policies.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "policy/views.hpp"

namespace ductile::rms {

/// The job now has the highest priority of all waiting jobs, until put_back() is called.
struct Raised {
    bool operator==(const Raised&) const = default;
};
/// The job had the highest priority already. Nothing was changed.
struct IsFirst {
    bool operator==(const IsFirst&) const = default;
};
struct NotRaised {
    std::string why = {};  ///< for a person; empty: the person need not be told
    bool operator==(const NotRaised&) const = default;
};
using RaiseAnswer = std::variant<Raised, IsFirst, NotRaised>;
using OnRaised = std::function<void(const RaiseAnswer&)>;

class JobPriorities {
  public:
    virtual ~JobPriorities() = default;
    /// `on_raised` is called once: by this call, or later by the event loop, but not after this
    /// object is destroyed.
    virtual void raise(policy::WaitingJobId job, OnRaised on_raised) = 0;
    /// Gives a job that was raised its former priority. A job that has ended is ignored.
    virtual void put_back(policy::WaitingJobId job) = 0;
};

}  // namespace ductile::rms
