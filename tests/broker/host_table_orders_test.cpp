// What a resource manager, agents, resizes and a clock do to a host table, in any order: no host is
// lost or used twice, and a broker that takes over continues as if nothing had happened.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <ostream>

#include "broker/host_table_json.hpp"
#include "scripted_resource_manager.hpp"

namespace ductile::broker::host_table_orders_test {
namespace {

using core::HostIndex;
using std::chrono::milliseconds;

enum class Action {
    want,
    withdraw,
    unneeded,
    agent_starts,
    agent_up,
    agent_drains,
    agent_gone,
    agent_lost,
    time_passes,
    taken_over,
    job_ends,
    grant,
    grant_last,
    deny,
    grant_closed,
    repeat,
    revoke,
    revoke_unknown,
    forget,
    manager_ends,
    mail
};

struct Step {
    Action action;
    int which, count;
};

/// For RapidCheck, which shows the steps that failed.
std::ostream& operator<<(std::ostream& out, const Step& step) {
    constexpr std::array names{
        "want",       "withdraw",     "unneeded",     "agent_starts", "agent_up", "agent_drains",
        "agent_gone", "agent_lost",   "time",         "taken_over",   "job_ends", "grant",
        "grant_last", "deny",         "grant_closed", "repeat",       "revoke",   "revoke_unknown",
        "forget",     "manager_ends", "mail"};
    return out << names.at(static_cast<std::size_t>(step.action)) << "(" << step.which << ", "
               << step.count << ")";
}

rc::Gen<Step> any_step() {
    const auto action = rc::gen::weightedElement<Action>({{6, Action::want},
                                                          {1, Action::withdraw},
                                                          {2, Action::unneeded},
                                                          {6, Action::agent_starts},
                                                          {4, Action::agent_up},
                                                          {3, Action::agent_drains},
                                                          {4, Action::agent_gone},
                                                          {2, Action::agent_lost},
                                                          {3, Action::time_passes},
                                                          {1, Action::taken_over},
                                                          {6, Action::grant},
                                                          {3, Action::grant_last},
                                                          {2, Action::deny},
                                                          {1, Action::grant_closed},
                                                          {2, Action::repeat},
                                                          {3, Action::revoke},
                                                          {1, Action::revoke_unknown},
                                                          {1, Action::forget},
                                                          {18, Action::mail}});
    return rc::gen::map(rc::gen::tuple(action, rc::gen::inRange(0, 1000), rc::gen::inRange(1, 5)),
                        [](const auto& one) {
                            return Step{std::get<0>(one), std::get<1>(one), std::get<2>(one)};
                        });
}

rc::Gen<std::vector<Step>> any_steps(double scale = 3) {
    return rc::gen::scale(scale, rc::gen::container<std::vector<Step>>(any_step()));
}

class Job {
  public:
    Job(IdleHosts idle, int hosts, int held)
        : idle_(idle), rms_(hosts, held), table_(idle, rms_.at_first()) {}

    void take(const Step& step) {
        switch (step.action) {
            case Action::want:
                return want(step);
            case Action::withdraw:
                return withdraw(step);
            case Action::unneeded:
                return on_host(step.which, [this](HostIndex host) { tell(HostUnneeded{host}); });
            case Action::agent_starts:
                return on_host(step.which, [this](HostIndex host) { start_agent(host); });
            case Action::agent_up:
                return on_host(step.which, [this](HostIndex host) { tell(AgentUp{host}); });
            case Action::agent_drains:
                return on_host(step.which, [this](HostIndex host) { tell(AgentDraining{host}); });
            case Action::agent_gone:
                return on_host(step.which, [this](HostIndex host) { agent_gone(host); });
            case Action::agent_lost:
                return on_host(step.which, [this](HostIndex host) { tell(AgentLost{host, "x"}); });
            case Action::time_passes:
                now_ += milliseconds(step.which % 100);
                rms_.time_is(now_);
                return tell(TimeIs{now_});
            case Action::taken_over:
                return take_over();
            case Action::job_ends:
                return end();
            case Action::grant:
                return rms_.grant(step.which, step.count, false);
            case Action::grant_last:
                return rms_.grant(step.which, step.count, true);
            case Action::deny:
                return rms_.deny(step.which);
            case Action::grant_closed:
                return rms_.grant_closed(step.which);
            case Action::repeat:
                return rms_.repeat(step.which);
            case Action::revoke:
                return rms_.revoke(step.which, now_ + milliseconds(step.which % 150));
            case Action::revoke_unknown:
                return rms_.revoke_unknown(now_);
            case Action::forget:
                return rms_.forget();
            case Action::manager_ends:
                return rms_.end();
            case Action::mail:
                return read_mail(step.count);
        }
    }

    /// All agents end, and all requests are answered. Then each host has been given back.
    void finish() {
        end();
        for (int round = 0; round < 3; ++round) {
            for (std::size_t i = 0; i < table_.state().hosts.size(); ++i)
                agent_gone(HostIndex{static_cast<int>(i)});
            rms_.answer_all();
            while (read_one_mail()) {
            }
        }
        RC_ASSERT(table_.all_released());
        RC_ASSERT(rms_.given_out() == 0U);
        RC_ASSERT(table_.state().requests.empty());
        RC_ASSERT(!table_.next_deadline());
        RC_ASSERT(wanted_.empty());
    }
    [[nodiscard]] int ready() const { return ready_; }
    /// The hosts that the job has, without those that are taken back.
    [[nodiscard]] std::set<std::string> held() const {
        std::set<std::string> names;
        const auto revoked = table_.revoked();
        for (std::size_t i = 0; i < table_.state().hosts.size(); ++i) {
            const auto& known = table_.state().hosts[i];
            const auto* lost = std::get_if<host::Lost>(&known.state);
            if (!std::holds_alternative<host::Released>(known.state) &&
                (lost == nullptr || !lost->revoked) &&
                !revoked.contains(HostIndex{static_cast<int>(i)}))
                names.insert(known.host.name);
        }
        return names;
    }

  private:
    // --- the controller and its agents

    void want(const Step& step) {
        HostNeed need;
        need.wanted_by = core::TransactionId{next_++};
        need.request.hosts = step.count;
        need.request.constraints.min_slots = 1 + step.which % 2;
        need.request.before_waiting_jobs = step.which % 4 == 0;
        if (step.which % 5 == 0) need.request.constraints.exclude = {"h3"};
        if (step.which % 3 == 0) need.part = PartOfUse{1 + step.which % 4, step.count};
        need.until = now_ + milliseconds(step.which % 200);
        wanted_[need.wanted_by] = need;
        tell(HostsWanted{need});
    }
    void withdraw(const Step& step) {
        if (wanted_.empty()) return;
        const auto it =
            std::next(wanted_.begin(), step.which % static_cast<std::ptrdiff_t>(wanted_.size()));
        const auto id = it->first;
        wanted_.erase(it);
        tell(HostsWithdrawn{id});
    }
    void start_agent(HostIndex host) {
        in_use_.insert(host);  // a HostLost takes it out again
        tell(AgentStarting{host});
        cleaning_.erase(host);
        if (std::holds_alternative<host::Lost>(state_of(host))) cleaning_.insert(host);
    }
    void agent_gone(HostIndex host) {
        in_use_.erase(host), cleaning_.erase(host);
        tell(AgentGone{host});
    }
    void take_over() {
        std::set<std::string> held;
        for (const auto& known : table_.state().hosts)
            if (!std::holds_alternative<host::Released>(known.state)) held.insert(known.host.name);
        rms_.begin_anew(held);
        cleaning_.clear();
        tell(TakenOver{});
    }
    void end() {
        wanted_.clear();
        tell(JobEnding{});
    }
    template <class Act>
    void on_host(int which, const Act& act) {
        const auto count = static_cast<int>(table_.state().hosts.size());
        if (count > 0) act(HostIndex{which % count});
    }
    [[nodiscard]] const host::State& state_of(HostIndex host) const {
        return table_.state().hosts.at(static_cast<std::size_t>(host.value)).state;
    }

    // --- mail

    void read_mail(int most) {
        while (most > 0 && read_one_mail()) --most;
    }
    bool read_one_mail() {
        const auto event = rms_.next_mail();
        if (event) tell(*event);
        return event.has_value();
    }

    // --- the table

    /// Tells the table, and checks that a table from the journal does the same.
    void tell(const HostEvent& event) {
        if (std::holds_alternative<rms::Gone>(event)) idle_ = IdleHosts::kept;
        HostTable restored(idle_, host_table_from(to_json(table_.state())));
        RC_ASSERT(restored.state() == table_.state());
        const auto effects = table_.on(event);
        RC_ASSERT(restored.on(event) == effects);
        RC_ASSERT(restored.state() == table_.state());
        for (const auto& effect : effects) {
            std::visit([this](const auto& one) { check(one); }, effect);
            std::visit([this](const auto& one) { rms_.hear(one); }, effect);
        }
        for (const auto& known : table_.state().hosts)
            if (!std::holds_alternative<host::Released>(known.state))
                RC_ASSERT(rms_.is_the_jobs(known.host.name));
    }
    void check(const AskHosts& ask) { RC_ASSERT(ask.request.hosts > 0); }
    void check(const CancelRequest&) {}
    void check(const ReleaseHost& release) {
        RC_ASSERT(!in_use_.contains(release.host));
        RC_ASSERT(!cleaning_.contains(release.host));
    }
    void check(const HostsReady& ready) {
        const auto wanted = wanted_.find(ready.wanted_by);
        RC_ASSERT(wanted != wanted_.end());
        const auto need = wanted->second;
        wanted_.erase(wanted);
        RC_ASSERT(need.part || static_cast<int>(ready.hosts.size()) == need.request.hosts);
        RC_ASSERT(!ready.hosts.empty());
        for (const auto host : ready.hosts) {
            RC_ASSERT(state_of(host) == host::State{host::Idle{}});
            RC_ASSERT(!in_use_.contains(host));
            const auto& known = table_.state().hosts.at(static_cast<std::size_t>(host.value)).host;
            RC_ASSERT(known.slots >= need.request.constraints.min_slots);
            const auto& exclude = need.request.constraints.exclude;
            RC_ASSERT(std::ranges::find(exclude, known.name) == exclude.end());
        }
        ++ready_;
    }
    void check(const HostsDenied& denied) { RC_ASSERT(wanted_.erase(denied.wanted_by) == 1U); }
    void check(const HostMustGo& must) { RC_ASSERT(in_use_.contains(must.host)); }
    void check(const HostLost& lost) {
        if (in_use_.erase(lost.host) > 0) cleaning_.insert(lost.host);
    }

    IdleHosts idle_;
    ScriptedResourceManager rms_;
    HostTable table_;
    WallTime now_{milliseconds(1000)};
    std::map<core::TransactionId, HostNeed> wanted_;
    std::set<HostIndex> in_use_;    ///< an agent runs there
    std::set<HostIndex> cleaning_;  ///< its agent was lost and may still run
    int next_ = 1;
    int ready_ = 0;
};

RC_GTEST_PROP(HostTable, LosesNoHostAndUsesNoneTwice, ()) {
    const auto idle = *rc::gen::element(IdleHosts::kept, IdleHosts::given_back);
    const int hosts = *rc::gen::inRange(1, 9);
    Job job(idle, hosts, *rc::gen::inRange(0, hosts + 1));
    for (const auto& step : *any_steps()) job.take(step);
    job.finish();
    RC_TAG(std::min(job.ready(), 5));  // how often requested hosts were ready
}

// The same when the resource manager ends for good. The job then keeps its hosts until it ends.
RC_GTEST_PROP(HostTable, KeepsItsHostsWhenTheManagerHasEnded, ()) {
    Job job(IdleHosts::given_back, 8, 2);
    for (const auto& step : *any_steps(1.2)) job.take(step);
    job.take({Action::manager_ends, 0, 0});
    job.take({Action::mail, 0, 1'000'000});
    const auto kept = job.held();
    for (const auto& step : *any_steps(1.2)) {
        const bool may_end_some =
            step.action == Action::revoke || step.action == Action::job_ends ||
            step.action == Action::time_passes || step.action == Action::taken_over;
        if (!may_end_some) job.take(step);
    }
    const auto after = job.held();
    RC_ASSERT(std::ranges::includes(after, kept));
    job.finish();
}

// The same after the end of the job has begun.
RC_GTEST_PROP(HostTable, GivesAllBackThatComesWhileTheJobEnds, ()) {
    Job job(IdleHosts::given_back, 8, 2);
    for (const auto& step : *any_steps(1.2)) job.take(step);
    job.take({Action::job_ends, 0, 0});
    for (const auto& step : *any_steps(1.2)) job.take(step);
    job.finish();
}

}  // namespace
}  // namespace ductile::broker::host_table_orders_test
