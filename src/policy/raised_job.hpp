// The waiting job whose priority is raised because a policy asks for it. Pure.
#pragma once

#include <optional>

#include "policy/views.hpp"

namespace ductile::policy {

/// At most one job is raised. Its priority is put back when the policy no longer names it, when the
/// policy makes no decision for a while, or when the policy is suspended.
class RaisedJob {
  public:
    /// As long as `natural` waits for the start of a job.
    static constexpr double kept_s = 60;

    struct Change {
        std::optional<WaitingJobId> put_back;
        std::optional<WaitingJobId> raise;  ///< to be raised before the hosts are given up
        bool operator==(const Change&) const = default;
    };
    /// The policy has decided. A job is raised only by a decision that gives hosts up.
    [[nodiscard]] Change decided(const Decision& decision, double now_s);
    /// The resource manager has raised this job. Precondition: no other job is raised.
    void raised(WaitingJobId job, double now_s);
    /// The policy looks at the cluster, or its own resize is open. This counts as if the policy had
    /// named the raised job at `now_s`.
    void resizes(double now_s) { named_s_ = now_s; }
    /// The policy waits for its next decision. Returns the job whose priority is to be put back:
    /// the raised job, if the policy has not named it for `kept_s`.
    [[nodiscard]] std::optional<WaitingJobId> waits(double now_s);
    /// The policy is suspended. Returns the raised job, if any: its priority is to be put back.
    [[nodiscard]] std::optional<WaitingJobId> stops();

    [[nodiscard]] bool is(WaitingJobId job) const { return job_ == job; }
    [[nodiscard]] bool is_none() const { return !job_; }

  private:
    std::optional<WaitingJobId> job_;
    double named_s_ = 0;  ///< when the policy last needed it
};

}  // namespace ductile::policy
