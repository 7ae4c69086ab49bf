// The hosts of a job of Ductile in Slurm. They come from the Slurm job in which it runs (the
// parent), and from further Slurm jobs of one host each (the sidecars). Pure. Here "the job" is the
// job of Ductile.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rms/host_request.hpp"
#include "rms/slurm_output.hpp"
#include "rms/slurm_parent.hpp"

namespace ductile::rms {

/// Our own number for a sidecar: 1, 2, ... Slurm's number comes later, or never if the submission
/// fails.
using SidecarId = core::Id<struct SidecarTag>;

namespace sidecar {

/// Slurm has not given the sidecar a number yet.
struct Submitting {
    std::optional<RequestId> wanted_by;  ///< none: cancel the sidecar when it has a number
    HostConstraints host = {};
    bool before_waiting_jobs = false;
    bool operator==(const Submitting&) const = default;
};
struct Waiting {
    SlurmJob job;
    RequestId wanted_by;
    bool before_waiting_jobs = false;  ///< cancelled if no host is idle for it
    bool operator==(const Waiting&) const = default;
};
/// The job has the host of the sidecar.
struct InUse {
    SlurmJob job;
    std::string host;
    bool operator==(const InUse&) const = default;
};
/// The sidecar has ended while the job used its host. The job has not released the host yet.
struct Ended {
    SlurmJob job;
    std::string host;
    bool operator==(const Ended&) const = default;
};
/// The job does not need the sidecar any more.
struct Cancelling {
    SlurmJob job;
    bool is_to_be_repeated = false;  ///< the command that cancels has failed
    bool operator==(const Cancelling&) const = default;
};
using State = std::variant<Submitting, Waiting, InUse, Ended, Cancelling>;

}  // namespace sidecar

/// The caller submits the sidecar, and reports the result by submitted() or not_submitted().
struct SubmitSidecar {
    SidecarId sidecar;
    HostConstraints host;
    bool before_waiting_jobs = false;
    bool operator==(const SubmitSidecar&) const = default;
};
/// If this fails, the caller calls not_cancelled().
struct CancelSidecar {
    SlurmJob job;
    bool operator==(const CancelSidecar&) const = default;
};
struct TellJob {
    HostAnswer answer;
    bool operator==(const TellJob&) const = default;
};
struct TellUser {
    std::string text;
    bool operator==(const TellUser&) const = default;
};
using SidecarEffect = std::variant<SubmitSidecar, CancelSidecar, TellJob, TellUser>;
using SidecarEffects = std::vector<SidecarEffect>;

class SlurmSidecars {
  public:
    /// `held`: the hosts that the job has now. Those that are not the parent's are hosts of
    /// sidecars. If the first listing does not show such a sidecar, its host is revoked.
    SlurmSidecars(const ShownJob& parent, const core::Allocation& held, const ParentRules& rules);

    // --- from the job
    SidecarEffects request(RequestId id, const HostRequest& request);
    SidecarEffects cancel(RequestId id);
    SidecarEffects release(const std::string& host);

    // --- from Slurm
    SidecarEffects submitted(SidecarId sidecar, SlurmJob job);
    /// Also called if it is not known whether the submission worked. If it did, a later listing
    /// shows the sidecar, which is then cancelled. If Slurm refuses only the higher priority, the
    /// sidecar is submitted again without it.
    SidecarEffects not_submitted(SidecarId sidecar, const std::string& why);
    /// Slurm has moved the host of the sidecar into the parent. The sidecar is no more.
    SidecarEffects merged(SidecarId sidecar, const core::Host& host);
    /// A listing of all jobs with the sidecars' name begins now. listed() brings the result. If the
    /// listing fails, listed() is not called.
    void listing_begins();
    SidecarEffects listed(const std::vector<ListedJob>& jobs);
    void not_cancelled(SlurmJob job);

    /// The Slurm job of a host: the parent for a host of the parent, or the sidecar whose host the
    /// job uses. None for other hosts, and for a host that is leaving the parent.
    [[nodiscard]] std::optional<SlurmJob> job_of(std::string_view host) const;
    [[nodiscard]] SlurmParent& parent() { return parent_; }
    /// Whether a listing is needed: a sidecar waits or is being cancelled, the sidecar of a held
    /// host has not been found yet, or a host is to leave the parent.
    [[nodiscard]] bool awaits_slurm() const;
    /// Whether there may be a sidecar, or may have been one.
    [[nodiscard]] bool was_used() const { return next_ > 1 || !held_.empty(); }
    [[nodiscard]] const std::map<SidecarId, sidecar::State>& all() const { return sidecars_; }

  private:
    struct OpenRequest {
        std::string why_not;  ///< why the latest useless sidecar gave no host
    };

    [[nodiscard]] bool is_in_use(std::string_view host) const;
    [[nodiscard]] bool has_open(RequestId id) const;
    [[nodiscard]] bool is_submitting() const;
    void drop(SidecarId sidecar, SlurmJob job, SidecarEffects& effects);
    void settle(RequestId id, std::vector<core::Host> granted, SidecarEffects& effects);
    void on_listed(SidecarId sidecar, const ListedJob* row, SidecarEffects& effects);
    void on_running(SidecarId sidecar, sidecar::Waiting waiting, const ListedJob& row,
                    SidecarEffects& effects);
    void give_up(SidecarId sidecar, sidecar::Waiting waiting, SidecarEffects& effects);
    void on_end_of(SidecarId sidecar, const std::string& why, SidecarEffects& effects);
    void on_unknown_job(const ListedJob& row, SidecarEffects& effects);
    void miss_held_hosts(SidecarEffects& effects);

    SlurmParent parent_;
    std::vector<std::string> held_;  ///< hosts whose sidecars are not found yet
    std::map<SidecarId, sidecar::State> sidecars_;
    std::set<SlurmJob> due_;  ///< a sidecar in this set has ended if the running listing lacks it
    std::map<RequestId, OpenRequest> requests_;
    int next_ = 1;
    bool may_go_before_others_ = true;  ///< Slurm has not refused a higher priority yet
};

}  // namespace ductile::rms
