// One policy for all malleable jobs of a partition: jobs use all hosts, make room for a waiting job
// if this lets it start (dmr-slurm-mpdata, section 4.1, Algorithm 1), and share what is idle. Pure.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/sizes.hpp"
#include "policy/views.hpp"

namespace ductile::policy {

/// The job of the resource manager in which a malleable job runs.
using SiteJobId = core::Id<struct SiteJobTag, std::uint32_t>;

/// `natural`: jobs give hosts up for waiting jobs only. `average`: also for malleable jobs that
/// have fewer hosts, until all have the same number, as far as their limits allow. In the words of
/// the field this is dynamic equipartition.
enum class SharingKind { natural, average };

inline constexpr std::array all_sharing_kinds{SharingKind::natural, SharingKind::average};
[[nodiscard]] std::string_view name_of(SharingKind kind);
[[nodiscard]] std::optional<SharingKind> sharing_kind_named(std::string_view name);

/// A job asks whether it should grow or shrink.
struct SiteQuestion {
    SiteJobId job;
    JobView view;
    double again_s = 5;  ///< if the answer is that it keeps its size, it asks again after this time
};

/// What the resource manager shows.
struct SiteView {
    ClusterView cluster;
    std::map<SiteJobId, int> hosts;  ///< how many hosts each job has; empty: not known
};

/// If no job waits, jobs grow as far as their free slots, idle hosts and their limits allow. Idle
/// hosts are shared: the next one is for the job with the fewest hosts. If jobs wait, the policy
/// looks for the first one, by priority, that could start with hosts of malleable jobs. These give
/// up hosts, but never shrink below their min. If possible, one job gives all hosts: that with most
/// hosts left. If there is no such waiting job, jobs grow.
///
/// The paper does not say what happens when a waiting job does not start. Here:
/// - A waiting job for which enough hosts are idle starts by itself. These hosts are left to it for
///   `start_within_s`.
/// - A waiting job gets hosts only if an earlier view has shown it, too, at least `settled_s` ago.
///   The resource manager may just be starting a job that is shown for the first time. All idle
///   hosts are left to it meanwhile.
/// - One waiting job at a time gets hosts. All idle hosts are left to it for `start_within_s`.
/// - The priority of this waiting job is raised meanwhile. The priority of a job array is not
///   raised, because this would raise all its tasks.
/// - A waiting job that has not started after `start_within_s` waits for something else. It gets
///   nothing for `again_after_s`. If hosts have been given up for it, no job gets hosts for
///   `start_within_s`. The same applies if the waiting job disappears and the hosts that were given
///   up for it are idle.
/// - If a job could not give hosts up, it is not told to give any for `start_within_s`. If it is
/// the
///   only job, the waiting job gets nothing for this time.
/// - A job that could not grow gets no share of idle hosts for `start_within_s`, while others ask.
/// - The times for which a job gets or gives nothing double with each of its further failures. The
///   time for which no job gets hosts doubles with each further failure in a row. None of these
///   times is longer than `longest_s`.
///
/// A job that does not ask (a person has resized it, its inhibitor forbids resizes) gives no hosts
/// and gets none. A job that asks more seldom than every `asks_within_s` gives hosts only for a
/// waiting job that it can let in alone, when it asks.
class SitePolicy {
  public:
    static constexpr double start_within_s = 60;  ///< two periods of Slurm's backfill
    static constexpr double again_after_s = 600;
    static constexpr double longest_s = 6 * 3600.0;  ///< the most that a time doubles to
    static constexpr double asks_within_s = 60;
    /// The longest that a resize which the policy has asked for counts as under way.
    static constexpr double resize_within_s = 120;
    /// The policy looks for hosts for so many waiting jobs, those with the highest priorities.
    static constexpr int most_looked_at = 100;

    explicit SitePolicy(SharingKind kind, double settled_s = 1)
        : kind_(kind), settled_s_(settled_s) {}

    /// `now_s`: seconds since any fixed time. It never decreases. The job asks only while it could
    /// begin a resize. So a job that asks has ended the resize that it was last told to make.
    Decision decide(const SiteQuestion& question, const SiteView& seen, double now_s);

    /// How many hosts this job was told to take, and does not have yet.
    [[nodiscard]] int hosts_missing(SiteJobId job, const SiteView& seen, double now_s) const;

  private:
    /// A malleable job, as it was when it last asked.
    struct Known {
        JobView view;
        double again_s = 0;
        double asks_until_s = 0;  ///< if it does not resize, it has asked again by then
        double known_until_s = 0;
        int taken = 0;             ///< hosts that it was told to take
        int given = 0;             ///< hosts that it was told to give up for malleable jobs
        int hosts_before = 0;      ///< what SiteView::hosts was then
        double waits_until_s = 0;  ///< until then it waits for hosts
    };
    /// A malleable job that could not do what it was told.
    struct Trouble {
        double gives_from_s = 0, grows_from_s = 0;
        int failures = 0;  ///< in a row
        double last_s = 0;
    };
    /// What is known about one waiting job.
    struct Chance {
        std::string tasks;  ///< for a job array: the tasks that waited at the last view
        double first_seen_s = 0, last_seen_s = 0;
        std::optional<double> idle_since_s;  ///< since when enough hosts for it are idle
        double not_before_s = 0;             ///< it gets nothing before this time
        int failures = 0;                    ///< how often an attempt to help it failed
    };
    /// What one job gives up for a waiting job.
    struct Part {
        enum class State { planned, told, given };
        SiteJobId job;
        int hosts = 0;  ///< that others can use
        State state = State::planned;
        int old_ranks = 0;   ///< when it was told
        int old_hosts = 0;   ///< what SiteView::hosts was then
        double until_s = 0;  ///< until then it has asked and shrunk
    };
    /// Hosts that are given up for a waiting job.
    struct Gift {
        WaitingJobId for_job;
        std::string tasks;
        int hosts = 0;
        std::vector<Part> parts;
        std::optional<double> given_at_s;  ///< when all parts were given
    };

    void hear(const SiteQuestion& question, const SiteView& seen, double now_s);
    Decision next(SiteJobId job, const SiteView& seen, double now_s);
    void follow_gift(SiteJobId asker, const SiteView& seen, double now_s);
    void follow_parts(SiteJobId asker, const SiteView& seen, double now_s);
    static void fail(Chance& chance, double now_s, double first_pause_s);
    /// The gift cannot be given, because of this job.
    void drop_gift(SiteJobId because_of, double now_s);
    void is_in_trouble(SiteJobId job, double Trouble::*until_s, double now_s);
    [[nodiscard]] bool may(double Trouble::*from_s, SiteJobId job, double now_s) const;

    [[nodiscard]] int hosts_on_their_way(SiteJobId but, const SiteView& seen, double now_s) const;
    [[nodiscard]] bool is_in_gift(SiteJobId job) const;
    /// The malleable jobs that may be told to give hosts up for a waiting job.
    [[nodiscard]] std::vector<SiteJobId> givers(SiteJobId asker, double now_s) const;
    [[nodiscard]] std::vector<Part> parts_for(int hosts, const std::vector<SiteJobId>& givers,
                                              SiteJobId asker) const;
    Decision give(Part& part, const std::string& why, const SiteView& seen, double now_s);
    Decision grow(SiteJobId job, int idle, const std::string& others, const SiteView& seen,
                  double now_s);
    [[nodiscard]] int share_of(SiteJobId job, int idle, double now_s) const;
    [[nodiscard]] std::optional<OnFewerHosts> down_to_average(SiteJobId job, int idle,
                                                              double now_s) const;
    [[nodiscard]] std::map<SiteJobId, int> averages(int idle) const;

    SharingKind kind_;
    double settled_s_;
    std::map<SiteJobId, Known> jobs_;
    std::map<SiteJobId, Trouble> troubles_;
    std::map<WaitingJobId, Chance> chances_;
    std::optional<Gift> gift_;
    int failed_gifts_ = 0;  ///< in a row
    double no_gift_before_s_ = 0;
    /// `average`: hosts that a job gives up for others are not idle at once. No other job gives any
    /// before that, or before a job has grown.
    double no_average_before_s_ = 0;
};

}  // namespace ductile::policy
