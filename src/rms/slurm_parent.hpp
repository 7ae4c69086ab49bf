// The hosts of the Slurm job in which a job of Ductile runs (the parent). Here "the job" is the job
// of Ductile. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "os/job_clock.hpp"
#include "rms/host_request.hpp"
#include "rms/slurm_output.hpp"

namespace ductile::rms {

/// Whether hosts that the job gives back are to leave the parent. `automatic`: if this Slurm can do
/// this safely. `yes`: also if slurmctld may crash. With both, whole hosts (--exclusive) stay if
/// this Slurm would block them for later jobs.
enum class ShrinkParent { automatic, yes, no };

struct ParentRules {
    std::string why_hosts_stay = {};  ///< why all hosts stay in the parent; empty: hosts can leave
    std::string broker_host = {};     ///< the name of the host where the broker runs
};

/// Decides whether hosts can leave the parent, and sets why_hosts_stay.
ParentRules rules_for(ShrinkParent choice, const ShownJob& parent, SlurmVersion version,
                      std::string broker_host);

namespace own_host {

/// The job uses the host.
struct Used {
    bool operator==(const Used&) const = default;
};
/// The job does not use the host. The host stays in the parent.
struct Idle {
    bool operator==(const Idle&) const = default;
};
/// The host is to leave the parent when no step of the parent runs on it any more.
struct Released {
    /// When a step of the parent was first found on the host; none: no step was found.
    std::optional<os::JobClock::time_point> busy_since = {};
    bool operator==(const Released&) const = default;
};
/// A command takes the host out of the parent.
struct Leaving {
    bool is_unclear = false;  ///< the command has ended, and its effect is not known
    bool operator==(const Leaving&) const = default;
};
using State = std::variant<Used, Idle, Released, Leaving>;

}  // namespace own_host

struct OwnHost {
    core::Host host;
    own_host::State state;
    bool can_leave = false;  ///< false: others can use the host only after the parent's end
    bool had_agent = false;  ///< the job has used the host, or has added it to the parent
};

class SlurmParent {
  public:
    /// Messages for a person.
    using Notices = std::vector<std::string>;
    using Time = os::JobClock::time_point;

    /// `held`: the hosts that the job has now. The hosts of the parent's script and of the broker
    /// never leave.
    SlurmParent(const ShownJob& parent, const core::Allocation& held, const ParentRules& rules);

    [[nodiscard]] SlurmJob job() const { return job_; }
    [[nodiscard]] bool has_whole_hosts() const { return has_whole_hosts_; }
    /// Whether this is a host of the parent that the job may use. False if the host is leaving.
    [[nodiscard]] bool has(std::string_view host) const;
    [[nodiscard]] const std::vector<OwnHost>& hosts() const { return hosts_; }

    // --- from the job
    /// Takes free hosts of the parent that meet the constraints of the request: as many as it
    /// needs, or fewer if there are not enough.
    std::vector<core::Host> take(const HostRequest& request);
    /// Slurm has added the host to the parent, and the job uses it. It can leave again, also if it
    /// never had an agent: the user does not expect it in the parent.
    void add(const core::Host& host);
    /// Why no host leaves the parent; empty: hosts can leave.
    [[nodiscard]] const std::string& why_hosts_stay() const { return why_hosts_stay_; }
    /// Whether Slurm takes hosts back, as far as is known.
    [[nodiscard]] bool gives_back() const { return why_hosts_stay_.empty() && !keeps_all_; }
    /// An agent starts on the host. Ignored if it is not a host of the parent.
    void agent_starts_on(std::string_view host);
    /// The job gives the host back. Ignored if it is not a host of the parent, or not used. A host
    /// that never had an agent stays in the parent, because the user may need it for something
    /// else.
    Notices release(std::string_view host);

    // --- Slurm takes released hosts out of the parent
    /// Whether shrink() is due.
    [[nodiscard]] bool is_to_shrink() const;
    /// Whether a host is released or leaves.
    [[nodiscard]] bool is_shrinking() const;
    /// Chooses the hosts that leave now. `busy`: hosts where a step of the parent runs. A host that
    /// is busy for 20 s stays. Returns all hosts that the parent is to keep, also busy ones that
    /// somebody else has added to the parent, or nullopt if no host
    /// can leave now. If it returns a list, the caller must take all other hosts out of the parent,
    /// and then call one of the next three functions.
    std::optional<std::vector<std::string>> shrink(const std::set<std::string>& busy, Time now,
                                                   Notices& notices);
    /// All hosts, also busy ones that somebody else has added to the parent; nullopt: some are just
    /// leaving.
    [[nodiscard]] std::optional<std::vector<std::string>> kept(
        const std::set<std::string>& busy) const;
    /// The hosts have left.
    void shrunk();
    /// It is not known whether the hosts have left, or will leave. The next shrink() tries again.
    void shrink_is_unclear();
    /// Slurm refuses. `now`: the hosts that Slurm now shows for the parent. All others have left
    /// the parent. If some of the leaving hosts are still in the parent, no host leaves any more.
    /// Exception: if the parent has also lost hosts that were not to leave, the next shrink() tries
    /// again.
    Notices not_shrunk(const std::string& why, const core::Allocation& now);

  private:
    OwnHost* find(std::string_view host);
    /// Adds the hosts of `busy` that are not known here.
    void add_unknown(const std::set<std::string>& busy, std::vector<std::string>& kept) const;
    void keep_all();

    SlurmJob job_;
    bool has_whole_hosts_;
    std::vector<OwnHost> hosts_;
    std::string why_hosts_stay_;
    bool keeps_all_ = false;  ///< Slurm has refused to take a host back
    bool was_told_ = false;   ///< the user knows that hosts stay
};

}  // namespace ductile::rms
