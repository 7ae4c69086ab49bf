// What `ductile run` requests from the broker.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "broker/job_options.hpp"
#include "broker/launch_spec.hpp"
#include "broker/limits.hpp"
#include "core/size_range.hpp"
#include "mpi/capabilities.hpp"
#include "plan/cost_model.hpp"
#include "plan/methods.hpp"
#include "policy/policy.hpp"
#include "resize/resize_plan.hpp"
#include "site/site_call.hpp"

namespace ductile::broker {

/// How a job requests hosts.
struct HostAsking {
    int slots = 0;  ///< the least slots of each host; 0: any number
    /// After this time a resize uses or gives back the granted hosts; 0: no limit. Other times hold
    /// for the first hosts of the job, for the policy, and for the largest size of a range.
    double within_s = 60;
};

/// The ductiled that decides for the job, and the Slurm job whose hosts the job uses.
struct SiteSpec {
    site::SiteAddress address;
    policy::SiteJobId slurm_job;
};

/// What resizes the job, beside people and the program.
struct PolicySpec {
    policy::Kind kind = policy::Kind::manual;
    std::vector<std::string> command;  ///< of a program in the place of `kind`; empty: none
    double every_s = 5;                ///< the policy is asked this often
    policy::Goals goals;
    std::optional<SiteSpec> site;  ///< for Kind::site
};

/// How the power of a job's hosts becomes known. If it is measured, agents or a program of the user
/// report it.
struct PowerSpec {
    bool is_measured = false;
    double watts = 0;  ///< of each host; 0: not given
    /// A program that reports the power of the hosts; empty: the agents do.
    std::vector<std::string> command;
};

struct JobSpec {
    std::string id;
    LaunchSpec launch;
    mpi::Capabilities mpi;
    core::SizeRange ranks;                                ///< the sizes that the job may begin with
    plan::Strategy strategy;                              ///< of resizes that name none
    plan::Automatic automatic;                            ///< what is chosen for each resize
    plan::CostModel costs;                                ///< for this choice
    plan::Readiness readiness = plan::Readiness::broker;  ///< of hypercube and diffusive
    bool tag = false;         ///< each line of output begins with [gGROUP.RANK]
    bool unbuffered = false;  ///< output is shown before its line is complete
    bool has_stdin = true;    ///< rank 0 gets the standard input
    bool verify = false;      ///< checksums of the moved data are compared at each resize
    Limits limits;
    HostAsking asking;
    PolicySpec policy;
    PowerSpec power;
    std::string events;  ///< file for the event records; empty: none
    resize::SwitchLimits switch_limits;
    double renew_after_s = 10;  ///< degraded ranks are replaced after this time without a resize
    JobOptions options;
    /// What the next broker needs to make this JobSpec again, as one line. Empty after a takeover:
    /// the journal has it already.
    std::string origin;
};

}  // namespace ductile::broker
