// Sidecars under any order of events, with a model of Slurm that answers late, twice or not at all,
// grants hosts that the job already has, and takes hosts back.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "core/overloaded.hpp"
#include "rms/slurm_sidecars.hpp"

namespace ductile::rms::slurm_sidecars_random_test {
namespace {

const std::vector<std::string> all_hosts{"a", "b", "c", "d", "e", "f"};

ShownJob parent_job() {
    ShownJob job;
    job.job = SlurmJob{1};
    job.state = "RUNNING";
    job.hosts = {{{"a", 2}, {"b", 2}}};
    return job;
}

/// Slurm, its commands that are running, and the job that asks for hosts.
class World {
  public:
    World() {
        for (const char* host : {"a", "b"}) sidecars_.parent().agent_starts_on(host);
    }
    /// Something of the kind `what` happens. `choice` selects among the possibilities.
    void step(int what, std::size_t choice) {
        switch (what) {
            case 0:
                return ask(1 + static_cast<int>(choice % 3));
            case 1:
                return cancel(choice);
            case 2:
                return release(choice);
            case 3:
                return answer_submission(choice % 4);
            case 4:
                return grant(choice);
            case 5:
                return take_back(choice);
            case 6:
                return begin_listing();
            case 7:
                return end_listing();
            case 8:
                return accept();
            case 9:
                return shrink_parent(choice);
            case 10:
                return answer_shrink(choice % 4);
            default:
                return answer_cancel(choice % 4 == 0);
        }
    }

    void finish() {
        for (auto& [id, request] : requests_) {
            if (request.is_closed) continue;
            request.is_cancelled = true;
            perform(sidecars_.cancel(id));
        }
        while (!held_.empty()) release(0);
        ended_ = true;
        for (int round = 0; round < 4; ++round) {
            while (!submissions_.empty()) answer_submission(0);
            while (!cancels_.empty()) answer_cancel(false);
            listing_.reset();
            begin_listing();
            end_listing();
            answer_shrink(0);
            shrink_parent(0);
        }
    }

    void check_end() const {
        for (const auto& [id, job] : jobs_) {
            RC_ASSERT(job.state == "CANCELLED" || job.state == "NODE_FAIL");
            // A cancel is repeated only after it has failed.
            RC_ASSERT(job.cancels <= 1 + job.failed_cancels);
            if (job.state == "CANCELLED") RC_ASSERT(job.cancels >= 1);
        }
        RC_ASSERT(sidecars_.all().empty());
        // The parent keeps host a, where its script runs.
        if (!was_refused_) RC_ASSERT(parents_ == std::set<std::string>{"a"});
    }

    void check_requests() const {
        for (const auto& [id, request] : requests_) RC_ASSERT(request.got <= request.wanted);
    }

  private:
    struct Job {
        std::string state = "PENDING";
        std::string host;
        int cancels = 0, failed_cancels = 0;
    };
    struct Request {
        int wanted = 0, got = 0;
        bool is_closed = false, is_cancelled = false;
    };

    struct Submission {
        SidecarId sidecar;
        std::optional<SlurmJob> job;
    };

    void ask(int hosts) {
        const RequestId id{next_request_++};
        requests_[id] = {hosts, 0, false, false};
        perform(sidecars_.request(id, {hosts, {}, hosts == 2}));
    }

    void cancel(std::size_t choice) {
        std::vector<RequestId> open;
        for (const auto& [id, request] : requests_)
            if (!request.is_closed) open.push_back(id);
        if (open.empty()) return;
        const auto id = open[choice % open.size()];
        requests_[id].is_cancelled = true;
        perform(sidecars_.cancel(id));
        RC_ASSERT(requests_[id].is_closed);
    }

    void release(std::size_t choice) {
        if (held_.empty()) return;
        const auto host = *std::next(held_.begin(), static_cast<long>(choice % held_.size()));
        held_.erase(host);
        perform(sidecars_.release(host));
    }

    /// Slurm has accepted a job, but has not reported it yet.
    void accept() {
        for (auto& submission : submissions_) {
            if (submission.job) continue;
            submission.job = SlurmJob{next_job_++};
            jobs_[*submission.job] = {};
            return;
        }
    }

    /// 0, 1: accepted and reported; 2: refused; 3: accepted, but reported as failed.
    void answer_submission(std::size_t how) {
        if (submissions_.empty()) return;
        if (how != 2 && !submissions_.front().job) accept();
        const auto [sidecar, job] = submissions_.front();
        submissions_.pop_front();
        if (!job || how > 1) return perform(sidecars_.not_submitted(sidecar, "no answer"));
        perform(sidecars_.submitted(sidecar, *job));
    }

    void grant(std::size_t choice) {
        for (auto& [id, job] : jobs_) {
            if (job.state != "PENDING") continue;
            job.state = "RUNNING";
            job.host = all_hosts[choice % all_hosts.size()];  // perhaps a host in use
            if (parents_.contains(job.host)) job.host = "a";
            return;
        }
    }

    void take_back(std::size_t choice) {
        if (jobs_.empty()) return;
        auto& job = std::next(jobs_.begin(), static_cast<long>(choice % jobs_.size()))->second;
        if (job.state == "RUNNING" || job.state == "PENDING") job.state = "NODE_FAIL";
    }

    void begin_listing() {
        if (listing_) return;
        sidecars_.listing_begins();
        listing_ = rows();
    }

    /// The listing shows the state at its beginning.
    void end_listing() {
        if (!listing_) return;
        const auto jobs = *std::exchange(listing_, {});
        perform(sidecars_.listed(jobs));
    }

    [[nodiscard]] std::vector<ListedJob> rows() const {
        std::vector<ListedJob> rows;
        for (const auto& [id, job] : jobs_)
            rows.push_back({id, job.state, 4, job.host, id.value % 2 == 0 ? "Priority" : "None"});
        return rows;
    }

    void answer_cancel(bool fails) {
        if (cancels_.empty()) return;
        const auto id = cancels_.front();
        cancels_.pop_front();
        auto& job = jobs_.at(id);
        if (fails && !ended_) {
            ++job.failed_cancels;
            return sidecars_.not_cancelled(id);
        }
        if (job.state == "RUNNING" || job.state == "PENDING") job.state = "CANCELLED";
    }

    /// Begins the command that takes hosts out of the parent. A step may run on host b.
    void shrink_parent(std::size_t choice) {
        std::set<std::string> used;  // hosts of the parent that the job uses
        for (const auto& host : held_)
            if (sidecars_.job_of(host) == SlurmJob{1}) used.insert(host);
        SlurmParent::Notices notices;
        const auto busy = choice % 4 == 1 ? std::set<std::string>{"b"} : std::set<std::string>{};
        const auto kept = sidecars_.parent().shrink(busy, {}, notices);
        if (!kept) return;
        RC_ASSERT(!shrink_);
        shrink_ = std::set<std::string>(kept->begin(), kept->end());
        for (const auto& host : used) RC_ASSERT(shrink_->contains(host));
    }

    /// 0, 1: it works; 2: it is refused; 3: it works, but its answer is lost.
    void answer_shrink(std::size_t how) {
        if (!shrink_) return;
        if (how != 2 || ended_) parents_ = *shrink_;
        shrink_.reset();
        auto& parent = sidecars_.parent();
        if (how < 2) return parent.shrunk();
        if (how == 3) return parent.shrink_is_unclear();
        core::Allocation now;
        for (const auto& host : parents_) now.hosts.push_back({host, 2});
        was_refused_ = was_refused_ || !ended_;
        static_cast<void>(parent.not_shrunk("no", now));
    }

    void perform(const SidecarEffects& effects) {
        for (const auto& effect : effects)
            std::visit(core::Overloaded{
                           [this](const SubmitSidecar& one) {
                               submissions_.push_back({one.sidecar, {}});
                           },
                           [this](const CancelSidecar& one) {
                               ++jobs_.at(one.job).cancels;
                               cancels_.push_back(one.job);
                           },
                           [this](const TellJob& told) {
                               std::visit([this](const auto& answer) { on(answer); }, told.answer);
                           },
                           [](const TellUser&) {},
                       },
                       effect);
    }

    void on(const Granted& granted) {
        RC_ASSERT(!ended_);
        auto& request = requests_.at(granted.id);
        RC_ASSERT(!request.is_closed);
        RC_ASSERT(!request.is_cancelled);
        request.is_closed = granted.last;
        for (const auto& host : granted.hosts) {
            ++request.got;
            RC_ASSERT(held_.insert(host.name).second);  // it was not in use
            RC_ASSERT(sidecars_.job_of(host.name).has_value());
        }
    }
    void on(const Denied& denied) {
        auto& request = requests_.at(denied.id);
        RC_ASSERT(!request.is_closed);
        request.is_closed = true;
    }
    void on(const Revoked& revoked) { RC_ASSERT(held_.contains(revoked.host)); }
    template <class Other>
    void on(const Other&) {
        RC_FAIL("such an answer is never given");
    }

    SlurmSidecars sidecars_{parent_job(), parent_job().hosts, ParentRules{}};
    std::set<std::string> held_{"a", "b"};
    std::map<RequestId, Request> requests_;
    std::map<SlurmJob, Job> jobs_;
    std::deque<Submission> submissions_;
    std::deque<SlurmJob> cancels_;
    std::optional<std::vector<ListedJob>> listing_;
    std::set<std::string> parents_{"a", "b"};      ///< the hosts that Slurm has for the parent
    std::optional<std::set<std::string>> shrink_;  ///< those that the running command keeps
    int next_request_ = 1;
    std::uint32_t next_job_ = 2;
    bool ended_ = false;
    bool was_refused_ = false;  ///< Slurm has refused to take a host out
};

RC_GTEST_PROP(SlurmSidecarsRandom, NoHostIsLostOrUsedTwice, ()) {
    World world;
    const auto steps = *rc::gen::container<std::vector<std::pair<int, std::size_t>>>(
        rc::gen::pair(rc::gen::inRange(0, 12), rc::gen::inRange<std::size_t>(0, 1000)));
    for (const auto& [what, choice] : steps) {
        world.step(what, choice);
        world.check_requests();
    }
    world.finish();
    world.check_end();
}

/// The same with 400 steps.
RC_GTEST_PROP(SlurmSidecarsRandom, NoHostIsLostInALongLife, ()) {
    World world;
    const auto seed = *rc::gen::inRange<unsigned>(0, 1000000);
    unsigned state = seed;
    const auto next = [&state] { return (state = state * 1664525u + 1013904223u) >> 8; };
    for (int i = 0; i < 400; ++i) world.step(static_cast<int>(next() % 12), next() % 1000);
    world.check_requests();
    world.finish();
    world.check_end();
}

}  // namespace
}  // namespace ductile::rms::slurm_sidecars_random_test
