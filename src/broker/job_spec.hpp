// What `ductile run` asks of the broker.
#pragma once

#include <string>
#include <vector>

#include "broker/job_options.hpp"
#include "broker/launch_spec.hpp"
#include "broker/limits.hpp"
#include "core/size_range.hpp"
#include "mpi/capabilities.hpp"
#include "plan/cost_model.hpp"
#include "plan/methods.hpp"
#include "resize/resize_plan.hpp"

namespace ductile::broker {

/// How a job asks for hosts.
struct HostAsking {
    int slots = 0;         ///< that each of them needs; 0: any will do
    double within_s = 60;  ///< then what has come is used, or given back; 0: no limit
};

struct JobSpec {
    std::string id;
    LaunchSpec launch;
    mpi::Capabilities mpi;
    core::SizeRange ranks;                                ///< to begin with
    plan::Strategy strategy;                              ///< of resizes that name none
    plan::Automatic automatic;                            ///< which of it is chosen for each resize
    plan::CostModel costs;                                ///< by which that is done
    plan::Readiness readiness = plan::Readiness::broker;  ///< of hypercube and diffusive
    bool tag = false;     ///< each line of output begins with [gGROUP.RANK]
    bool verify = false;  ///< what moves at a resize is summed up before and after
    Limits limits;
    HostAsking asking;
    std::string events;  ///< file for the event records; empty: none
    resize::SwitchLimits switch_limits;
    double renew_after_s = 10;  ///< degraded ranks are replaced when nothing was due for so long
    JobOptions options;
    /// What it takes to make this again, as one line; only a new job's journal wants it.
    std::string origin;
};

}  // namespace ductile::broker
