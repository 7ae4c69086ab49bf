// The policy `natural`: use all hosts, and make room for a waiting job if this lets it start
// (dmr-slurm-mpdata, section 4.1, Algorithm 1). Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "policy/policy.hpp"

namespace ductile::policy {

/// If no job waits, the job grows as far as its free slots, idle hosts and its limits allow. If
/// jobs wait, the job looks for the first one, by priority, that could start with hosts of this
/// job, and gives these hosts up, but never shrinks below its min. If it finds none, the job grows.
///
/// The paper does not say what happens when a waiting job does not start. Here:
/// - A waiting job for which enough hosts are idle starts by itself. The job leaves these hosts to
///   it for `start_within_s`.
/// - A waiting job gets hosts only if an earlier view has shown it, too. Slurm may just be starting
///   a job that is shown for the first time. So the job leaves all idle hosts to it until the next
///   view.
/// - The job gives hosts to one waiting job at a time, and leaves all idle hosts to it for
///   `start_within_s`.
/// - The priority of this waiting job is raised meanwhile. The priority of a job array is not
///   raised, because this would raise all its tasks.
/// - A waiting job that has not started after `start_within_s` waits for something else. It gets
///   nothing for `again_after_s`. If the job has given hosts up for it, the job gives no hosts to
///   any job for `start_within_s`. The same applies if the waiting job disappears and the hosts
///   that were given up for it are idle.
/// - If the hosts could not be given up, the waiting job gets nothing for `start_within_s`.
/// - The times for which a waiting job gets nothing double with each of its further failures. The
///   time for which no job gets hosts doubles with each further failure in a row. None of these
///   times is longer than `longest_s`.
class Natural final : public Policy {
  public:
    static constexpr double start_within_s = 60;  ///< two periods of Slurm's backfill
    static constexpr double again_after_s = 600;
    static constexpr double longest_s = 6 * 3600.0;  ///< the most that a time doubles to

    Decision decide(const JobView& job, const ClusterView& cluster, double now_s) override;

  private:
    /// What is known about one waiting job.
    struct Chance {
        std::string tasks;  ///< for a job array: the tasks that waited at the last view
        double last_seen_s = 0;
        std::optional<double> idle_since_s;  ///< since when enough hosts for it are idle
        double not_before_s = 0;             ///< it gets nothing before this time
        int failures = 0;                    ///< how often an attempt to help it failed
    };
    /// Hosts that were given up for a job, or will be when the shrink is carried out.
    struct Gift {
        WaitingJobId for_job;
        std::string tasks;
        int old_ranks = 0;
        int hosts = 0;
        std::optional<double> given_at_s;
    };

    Decision next(const JobView& job, const ClusterView& cluster, double now_s);
    void follow_gift(const JobView& job, const ClusterView& cluster, double now_s);
    static void fail(Chance& chance, double now_s, double first_pause_s);

    std::map<WaitingJobId, Chance> chances_;
    std::optional<Gift> gift_;
    int failed_gifts_ = 0;  ///< in a row
    double no_gift_before_s_ = 0;
};

}  // namespace ductile::policy
