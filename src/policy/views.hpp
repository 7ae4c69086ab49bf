// What a policy sees of the cluster and of its job, and what it decides. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.hpp"

namespace ductile::policy {

/// The id of a job of the resource manager, such as a job id of Slurm.
using WaitingJobId = core::Id<struct WaitingJobTag, std::uint64_t>;

/// A job that waits because there are too few idle hosts. A job that waits for another reason (a
/// dependency, a begin time, a hold, a limit of its user) is no WaitingJob. A malleable job's
/// request for more hosts is none, either.
struct WaitingJob {
    WaitingJobId id;
    int hosts = 1;  ///< the least number of hosts that it needs
    /// The tasks of a job array that still wait, as the resource manager writes them. The text
    /// changes when one of them has started.
    std::string tasks = {};
    bool operator==(const WaitingJob&) const = default;
};

struct ClusterView {
    int idle_hosts = 0;               ///< hosts that the job could get immediately
    std::vector<WaitingJob> waiting;  ///< the job with the highest priority first
    bool operator==(const ClusterView&) const = default;
};

/// A host on which a job has ranks.
struct HostView {
    int ranks = 1;
    bool is_returnable = true;  ///< others can use the host when the job gives it back
    bool operator==(const HostView&) const = default;
};

/// What a job uses from one resize point to the next, on average.
struct PointCost {
    double seconds = 0;
    double joules = 0;  ///< of all its hosts together
    bool operator==(const PointCost&) const = default;
};

/// A malleable job. Sizes are in ranks.
struct JobView {
    int ranks = 1;
    std::vector<HostView> hosts;  ///< a job that gives hosts up keeps the first ones
    int free_slots = 0;           ///< free slots that only this job can use
    int slots_per_host = 1;       ///< slots of a further host that the job gets
    int min = 0, max = 0;         ///< 0: no limit
    int preferred = 0;            ///< 0: none
    int multiple = 0;             ///< the job has only sizes that are multiples of it; 0: any size
    /// The communication efficiency since the last resize, from 0 to 1: the part of its time that a
    /// rank spends outside MPI, for the rank where this part is largest. None: it is not measured,
    /// or not known yet at this size.
    std::optional<double> efficiency = std::nullopt;
    /// Measured since the last resize. None: it is not measured, or not known yet at this size.
    std::optional<PointCost> point_cost = std::nullopt;
    std::string no_power = {};  ///< why the power of a host is not known; empty: no reason is known
    bool operator==(const JobView&) const = default;
};

struct Decision {
    std::optional<int> ranks = std::nullopt;  ///< the new size; none: the job keeps its size
    /// If the job gives hosts up: the number of hosts that it keeps. `ranks` run on these hosts.
    std::optional<int> hosts = std::nullopt;
    std::optional<WaitingJobId> for_job = std::nullopt;  ///< the job that the hosts are meant for
    std::string why = {};                                ///< for a person
    bool is_exact = false;  ///< growth: if hosts are too few for `ranks`, the job keeps its size
    /// The waiting job that needs the highest priority now. The decision that gives hosts up for
    /// this waiting job names it. Later decisions name it again while it can still start on these
    /// hosts.
    std::optional<WaitingJobId> raised = std::nullopt;
    bool operator==(const Decision&) const = default;
};

}  // namespace ductile::policy
