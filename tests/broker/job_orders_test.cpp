// What users, a resource manager, agents, ranks and a clock do to a job, in any order: each resize
// is committed or rolled back, or the job ends; no group is left behind; each host is in use or was
// given back; each request is answered once.
//
// The parts are the real ones. The test plays Broker: it only carries out what the parts decide.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <ostream>

#include "../resize/resize_world.hpp"
#include "broker/job_parts.hpp"
#include "broker/process_ends.hpp"
#include "broker/size_in_range.hpp"
#include "core/overloaded.hpp"
#include "scripted_resource_manager.hpp"

namespace ductile::broker::job_orders_test {
namespace {

using core::GroupId;
using core::HostIndex;
using std::chrono::milliseconds;

enum class Action {
    ask,
    cancel,
    rank_continues,
    timer,
    newcomer_dies,
    member_dies,
    leaver_ends,
    agent_up,
    agent_gone,
    host_dies,
    swept,
    time_passes,
    long_time_passes,
    grant,
    grant_last,
    deny,
    repeat,
    revoke,
    forget,
    manager_ends,
    mail
};

constexpr std::array action_names{"ask",           "cancel",      "rank continues", "timer",
                                  "newcomer dies", "member dies", "leaver ends",    "agent up",
                                  "agent gone",    "host dies",   "swept",          "time",
                                  "long time",     "grant",       "grant last",     "deny",
                                  "repeat",        "revoke",      "forget",         "manager ends",
                                  "mail"};

struct Step {
    Action action;
    int which, count;
};

/// For RapidCheck, which shows the steps that failed.
std::ostream& operator<<(std::ostream& out, const Step& step) {
    return out << action_names.at(static_cast<std::size_t>(step.action)) << "(" << step.which
               << ", " << step.count << ")";
}

rc::Gen<Step> any_step() {
    const auto action = rc::gen::weightedElement<Action>({{10, Action::ask},
                                                          {1, Action::cancel},
                                                          {60, Action::rank_continues},
                                                          {1, Action::timer},
                                                          {1, Action::newcomer_dies},
                                                          {1, Action::member_dies},
                                                          {10, Action::leaver_ends},
                                                          {12, Action::agent_up},
                                                          {10, Action::agent_gone},
                                                          {2, Action::host_dies},
                                                          {2, Action::swept},
                                                          {2, Action::time_passes},
                                                          {1, Action::long_time_passes},
                                                          {12, Action::grant},
                                                          {3, Action::grant_last},
                                                          {1, Action::deny},
                                                          {1, Action::repeat},
                                                          {2, Action::revoke},
                                                          {1, Action::forget},
                                                          {16, Action::mail}});
    return rc::gen::map(rc::gen::tuple(action, rc::gen::inRange(0, 5040), rc::gen::inRange(1, 9)),
                        [](const auto& one) {
                            return Step{std::get<0>(one), std::get<1>(one), std::get<2>(one)};
                        });
}

rc::Gen<std::vector<Step>> any_steps(double scale) {
    return rc::gen::scale(scale, rc::gen::container<std::vector<Step>>(any_step()));
}

/// The element that the number `which` chooses.
template <class Container>
auto chosen(Container& from, int which) {
    return std::next(from.begin(), which % static_cast<std::ptrdiff_t>(from.size()));
}

JobSpec spec_of(int min) {
    JobSpec spec;
    spec.mpi.spawn = spec.mpi.parallel_spawn = spec.mpi.spawn_counts_by_host = true;
    spec.mpi.open_port = spec.mpi.independent_connect = spec.mpi.introduces_strangers = true;
    spec.mpi.agents_start_ranks = true;
    spec.renew_after_s = 1e6;
    spec.limits.min = {min, Origin::command_line};
    return spec;
}

/// How often each of these has happened in a job. `left`: hosts that the job has left.
struct Counts {
    int committed = 0, rolled_back = 0, left = 0, grown_with_more_hosts = 0;
};

class Job {
  public:
    Job(int hosts, int held, int ranks, int min)
        : spec_(spec_of(min)),
          rms_(hosts, held),
          table_(IdleHosts::given_back, rms_.at_first()),
          groups_(spec_.mpi, {},
                  [this] {
                      return pmi::KvsName(pmi::RandomBits{0, ++worlds_});
                  }),
          resize_(
              io_, [this](const resize::Effect& effect) { carry_out(effect); }, [] {}),
          requests_(spec_) {
        const auto planned = plan_first_world({1, ranks}, table_.allocation(), Limits{});
        begin(std::get<core::Group>(planned));
    }

    /// All that follows from the event happens immediately, as in Broker.
    void take(const Step& step) {
        act(step);
        do {
            lose(std::exchange(lost_, {}));
            settle();
        } while (!lost_.empty());
        check();
    }
    /// All that is on its way arrives. Timers and answers of the resource manager end all other
    /// waits. Then the job rests.
    void come_to_rest() {
        go_on();
        while (!has_ended_ && !table_.revoked().empty()) {
            now_ = *table_.next_deadline();
            take({Action::time_passes, 0, 0});
            go_on();
        }
        if (!has_ended_) check_rest();
    }
    /// Ends the job. Then all hosts have been given back, and each request was answered once.
    void end() {
        end_job();
        go_on();
        RC_ASSERT(agents_.empty());
        RC_ASSERT(table_.all_released());
        RC_ASSERT(rms_.given_out() == 0U);
        RC_ASSERT(table_.state().requests.empty());
        for (const auto& [number, answers] : answers_) RC_ASSERT(answers == 1);
    }
    [[nodiscard]] bool has_ended() const { return has_ended_; }
    [[nodiscard]] const Counts& counts() const { return counts_; }

  private:
    struct Agent {
        bool up = false, ends = false;
    };
    /// The resize that is open, as agents and ranks see it.
    struct Open {
        explicit Open(resize::ResizePlan of) : plan(std::move(of)), world(plan) {}
        const resize::ResizePlan plan;
        resize::ResizeWorld world;
    };

    void begin(const core::Group& group) {
        resize::ResizePlan plan;
        plan.added = {group};
        plan.after = core::Layout::of(plan.added).on(table_.allocation());
        ledger_.begin(plan.after);
        ledger_.use_groups(1);
        static_cast<void>(groups_.start(plan, false, hosts_now()));
        for (const auto host : plan.after.hosts()) start_agent(host);
        for (const auto host : plan.after.hosts()) agent_up(host.value);
        groups_.make_members({group.id});
        settle();
    }

    // ---- what happens ----

    void act(const Step& step) {
        switch (step.action) {
            case Action::ask:
                return ask(step);
            case Action::cancel:
                return cancel();
            case Action::rank_continues:
                return rank_continues(step.which);
            case Action::timer:
                if (step.which % 4 == 0) fire_timer();
                return;
            case Action::newcomer_dies:
                if (open_ == nullptr || open_->world.alive.empty()) return;
                return open_->world.kill(*chosen(open_->world.alive, step.which));
            case Action::member_dies:
                return member_dies(step.which);
            case Action::leaver_ends:
                return leaver_ends(step.which);
            case Action::agent_up:
                return agent_up(step.which);
            case Action::agent_gone:
                return agent_gone(step.which);
            case Action::host_dies:
                return host_dies(step.which);
            case Action::swept:
                return sweep(step.which);
            case Action::time_passes:
                return time_passes(milliseconds(step.which % 100));
            case Action::long_time_passes:
                return time_passes(milliseconds(step.which * 2));
            case Action::grant:
                return rms_.grant(step.which, step.count, false);
            case Action::grant_last:
                return rms_.grant(step.which, step.count, true);
            case Action::deny:
                return rms_.deny(step.which);
            case Action::repeat:
                return rms_.repeat(step.which);
            case Action::revoke:
                return rms_.revoke(step.which, now_ + milliseconds(step.which * 5));
            case Action::forget:
                return rms_.forget();
            case Action::manager_ends:
                return rms_.end();
            case Action::mail:
                return read_mail();
        }
    }
    void go_on() {
        for (int steps = 0; continues(); ++steps)
            if (steps == 3000)
                RC_FAIL("it never rests; its resize: " +
                        (resize_ ? resize_->operation.phase() : "none"));
    }
    /// False when nothing is left that can happen by itself.
    bool continues() {
        const auto before = happened_;
        for (const auto action : {Action::mail, Action::agent_up, Action::agent_gone, Action::swept,
                                  Action::leaver_ends, Action::rank_continues})
            take({action, 0, 0});
        if (happened_ != before) return true;
        take({Action::timer, 0, 0});
        if (happened_ != before) return true;
        rms_.answer_all();
        take({Action::mail, 0, 0});
        return happened_ != before;
    }
    void read_mail() {
        const auto mail = rms_.next_mail();
        if (!mail) return;
        ++happened_;
        apply(*mail);
    }
    void time_passes(milliseconds time) {
        now_ += time;
        rms_.time_is(now_);
        apply(TimeIs{now_});
    }

    // ---- what users ask ----

    void ask(const Step& step) {
        if (has_ended_) return;
        const int which = step.which;
        ResizeRequest request;
        const int upper = which % 3 == 0 ? step.count + which % 4 : step.count;
        request.goal = NewSize{core::SizeRange{step.count, upper}};
        request.wait = which % 2 == 0;
        request.replace = which % 5 == 0;
        if (which % 7 == 0) request.method = plan::Method::baseline;
        if (which % 7 == 1) request.shrink = plan::ShrinkKind::park;
        if (which % 7 == 2) request.start = plan::Start::hypercube;
        if (which % 8 < 3) request.overlap = plan::Overlap::blocking;
        const int number = next_question_++;
        answers_[number] = 0;
        const AskingCommand command{[this, number](const Reply&, bool last) {
            if (last) ++answers_[number];
        }};
        decide(&ResizeRequests::on_resize, NextStep{request, {command}});
    }
    void cancel() {
        if (has_ended_ || (resize_.is_resizing() && resize_->operation.is_certain())) return;
        RequestEffects effects;
        requests_.stop_awaiting(ReplyKind::rolled_back, "cancelled", effects);
        carry_out(effects);
        if (resize_.is_resizing()) resize_.tell(resize::CallOff{"cancelled"});
    }
    static void answer(const Askers& askers, const Reply& reply, bool last = true) {
        for (const auto& asker : askers)
            if (const auto* command = std::get_if<AskingCommand>(&asker))
                if (last || !command->was_accepted) command->reply(reply, last);
    }

    // ---- agents ----

    /// Starts an agent, unless the host table reports that the host is lost.
    void start_agent(HostIndex host) {
        const auto before = agents_.find(host);
        const bool is_up = before != agents_.end() && before->second.up;
        RC_ASSERT(!is_up);
        for (const auto& effect : table_.on(AgentStarting{host}))
            if (const auto* lost = std::get_if<HostLost>(&effect)) {
                RC_ASSERT(!unneeded_.contains(host));
                lost_.push_back(*lost);
                return;
            }
        agents_[host] = {};
        cleaning_.erase(host);
    }
    void agent_up(int which) {
        std::vector<HostIndex> starting;
        for (const auto& [host, agent] : agents_)
            if (!agent.up) starting.push_back(host);
        if (starting.empty()) return;
        ++happened_;
        const auto host = *chosen(starting, which);
        agents_[host].up = true;
        apply(AgentUp{host});
        GroupEffects effects;
        groups_.on_host_up(host, hosts_now(), effects);
        carry_out(effects);
    }
    void agent_gone(int which) {
        std::vector<HostIndex> ending;
        for (const auto& [host, agent] : agents_)
            if (agent.ends) ending.push_back(host);
        if (ending.empty()) return;
        ++happened_;
        const auto host = *chosen(ending, which);
        agents_.erase(host);
        apply(AgentGone{host});
    }
    void finish(HostIndex host) {
        auto& agent = agents_.at(host);
        if (std::exchange(agent.ends, true)) return;
        apply(AgentDraining{host});
    }
    void sweep(int which) {
        if (cleaning_.empty()) return;
        ++happened_;
        const auto host = *chosen(cleaning_, which);
        cleaning_.erase(host);
        if (std::holds_alternative<host::Lost>(state_of(host))) apply(AgentGone{host});
    }
    /// A host with members dies only rarely, because the job ends then.
    void host_dies(int which) {
        if (agents_.empty()) return;
        const auto host = chosen(agents_, which)->first;
        if (ledger_.layout().ranks_on(host) > 0 && which % 20 > 0) return;
        apply(AgentLost{host, "it is dead"});
    }
    [[nodiscard]] bool any_finishing() const {
        return std::ranges::any_of(agents_, [](const auto& one) { return one.second.ends; });
    }
    [[nodiscard]] const host::State& state_of(HostIndex host) const {
        return table_.state().hosts.at(static_cast<std::size_t>(host.value)).state;
    }
    [[nodiscard]] HostsNow hosts_now() const {
        HostsNow now{table_.allocation(), {}, {}, true, {}};
        for (const auto& [host, agent] : agents_)
            if (agent.up) now.up.insert(host);
        for (const auto host : table_.idle_hosts())
            if (!agents_.contains(host)) now.idle.insert(host);
        return now;
    }

    // ---- hosts ----

    void apply(const HostEvent& event) {
        if (std::holds_alternative<rms::Gone>(event)) is_kept_ = true;
        for (const auto& effect : table_.on(event)) {
            ++happened_;
            std::visit([this](const auto& one) { rms_.hear(one); }, effect);
            std::visit(
                core::Overloaded{
                    [](const AskHosts&) {},
                    [](const CancelRequest&) {},
                    [this](const ReleaseHost& e) { check_release(e.host); },
                    [this](const HostsReady& e) {
                        promised_ = {e.hosts.begin(), e.hosts.end()};
                        decide(&ResizeRequests::on_hosts_ready, e);
                    },
                    [this](const HostsDenied& e) { decide(&ResizeRequests::on_hosts_denied, e); },
                    [this](const HostMustGo& e) {
                        if (!has_ended_) carry_out(news_of(e, request_context()));
                    },
                    [this](const HostLost& e) { lose({e}); },
                },
                effect);
        }
    }
    void check_release(HostIndex host) const {
        RC_ASSERT(!agents_.contains(host));
        RC_ASSERT(!cleaning_.contains(host));
        if (has_ended_) return;
        RC_ASSERT(!groups_.table().any_on(host));
        RC_ASSERT(ledger_.layout().ranks_on(host) == 0);
    }
    void lose(const std::vector<HostLost>& hosts) {
        for (const auto& lost : hosts) {
            if (agents_.erase(lost.host) > 0) cleaning_.insert(lost.host);
            on_host_lost(lost.host, "host is lost: " + lost.why);
        }
    }
    void on_host_lost(HostIndex host, const std::string& why) {
        if (open_ != nullptr)
            for (const auto& group : open_->plan.added)
                if (group.ranks_on(host) > 0) open_->world.kill(group.id);
        GroupEffects effects;
        const auto loss = groups_.on_host_lost(host, group_context(), effects);
        carry_out(effects);
        if (has_ended_) return;
        if (loss == JobGroups::Loss::members)
            end_job();
        else if (loss == JobGroups::Loss::newcomers)
            resize_.tell(resize::NewcomerLost{why, code_lost});
        else if (resize_.is_resizing() && resize_->operation.may_be_called_off() &&
                 resize_.needs(host))
            call_off_and_ask_again(why);
    }

    // ---- ranks ----

    void rank_continues(int which) {
        if (open_ == nullptr) return;
        auto& pending = open_->world.pending;
        std::vector<std::size_t> possible;
        for (std::size_t i = 0; i < pending.size(); ++i)
            if (is_possible(pending[i])) possible.push_back(i);
        if (possible.empty()) return;
        ++happened_;
        const auto at = static_cast<std::ptrdiff_t>(*chosen(possible, which));
        const auto event = pending[static_cast<std::size_t>(at)];
        pending.erase(pending.begin() + at);
        open_->world.happened(event);
        hear(event);
    }
    /// Ranks of a group cannot begin or end before the agents of its hosts are up.
    [[nodiscard]] bool is_possible(const resize::Event& event) const {
        if (const auto* up = std::get_if<resize::RankUp>(&event)) return is_up(up->process.group);
        if (const auto* gone = std::get_if<resize::GroupGone>(&event)) return is_up(gone->group);
        if (const auto* prepared = std::get_if<resize::HostPrepared>(&event))
            return is_up(prepared->group);
        return true;
    }
    [[nodiscard]] bool is_up(GroupId id) const {
        const auto* state = groups_.table().find(id);
        return state == nullptr ||
               std::ranges::all_of(state->group.shares(), [&](const core::Share& share) {
                   const auto agent = agents_.find(share.host);
                   return !state->is_on(share.host) || (agent != agents_.end() && agent->second.up);
               });
    }
    void hear(const resize::Event& event) {
        if (const auto* ended = std::get_if<resize::ProcessEnded>(&event))
            return end_rank(
                {ended->process.group, ended->process.rank, ended->code, 0, true, false, {}});
        if (const auto* gone = std::get_if<resize::GroupGone>(&event))
            return end_group(gone->group);
        resize_.tell(event);
    }
    void end_rank(const wire::RankEnded& ended) {
        const core::Process process{ended.group, ended.rank};
        const auto* rank = groups_.table().find(process);
        if (rank == nullptr || rank->ended) return;
        groups_.on_rank_event(process, RankEvent::ended);
        if (has_ended_) return;
        GroupEffects effects;
        groups_.on_rank_ended(ended, group_context(), effects);
        carry_out(effects);
    }
    void end_group(GroupId id) {
        const auto* state = groups_.table().find(id);
        if (state == nullptr) return;
        const auto group = state->group;
        for (int i = 0; i < group.ranks; ++i)
            end_rank({id, core::Rank{i}, 137, 0, true, false, {}});
        for (const auto& share : group.shares()) end_part(share.host, id);
    }
    void end_part(HostIndex host, GroupId id) {
        GroupEffects effects;
        groups_.on_part_ended(host, {id, 0, 0, ""}, group_context(), effects);
        carry_out(effects);
    }
    /// Happens only rarely, because the job ends then.
    void member_dies(int which) {
        if (which % 20 > 0) return;
        const auto process = ledger_.layout().at(core::Rank{0});
        end_rank({process.group, process.rank, 137, 0, true, false, {}});
    }
    /// All ranks of a range end that a resize has removed.
    void leaver_ends(int which) {
        if (leavers_.empty()) return;
        ++happened_;
        const auto at = chosen(leavers_, which);
        const auto range = *at;
        leavers_.erase(at);
        for (int i = 0; i < range.ranks; ++i) {
            const core::Process process{range.group, core::Rank{range.first.value + i}};
            groups_.on_rank_event(process, RankEvent::goodbye);
            end_rank({process.group, process.rank, 0, 0, true, true, {}});
        }
        const auto* state = groups_.table().find(range.group);
        if (state != nullptr && state->all_ended_on(range.host)) end_part(range.host, range.group);
    }
    void fire_timer() {
        if (open_ == nullptr || open_->world.timers.empty()) return;
        ++happened_;
        const auto timer = *open_->world.timers.begin();
        open_->world.timers.erase(timer);
        resize_.tell(resize::TimerFired{timer});
    }

    // ---- what the parts decide ----

    [[nodiscard]] GroupContext group_context() const {
        return {ledger_, hosts_now(), resize_.operation(), {}};
    }
    [[nodiscard]] RequestContext request_context() const {
        using Life = RequestContext::Life;
        JobView view;
        view.layout = ledger_.layout();
        view.allocation = table_.lasting();
        view.living = table_.dependable();
        view.given_back = ledger_.given_back();
        view.limits = requests_.limits();
        view.mpi = spec_.mpi;
        view.next_group = ledger_.next_group();
        view.mpi_worlds_seen = ledger_.mpi_worlds_seen();
        view.health = ledger_.health();
        return {has_ended_ ? Life::ending : Life::running,
                std::move(view),
                groups_.table(),
                resize_.operation(),
                {table_.allocation(), table_.revoked(), table_.failed(), true, table_.no_more(),
                 any_finishing(), "a test"},
                {},
                ledger_.next_transaction(),
                now_};
    }
    template <class What, class... Arguments>
    void decide(What what, const Arguments&... arguments) {
        RequestEffects effects;
        std::invoke(what, requests_, arguments..., request_context(), effects);
        carry_out(effects);
    }
    void settle() {
        if (has_ended_) return;
        const auto fate = [this](HostIndex host) {
            if (ledger_.layout().ranks_on(host) > 0 || resize_.needs(host))
                return FreedHosts::Fate::taken;
            return agents_.contains(host) ? FreedHosts::Fate::busy : FreedHosts::Fate::free;
        };
        for (const auto& freed :
             requests_.freed().check(fate, [](HostIndex) { return std::string(); }))
            answer(freed.askers, {ReplyKind::done, freed.text});
        if (!table_.revoked().empty()) decide(&ResizeRequests::leave_revoked_hosts);
        for (const auto& [host, agent] : std::map(agents_))
            if (agent.up && !is_agent_needed(host, groups_, requests_.queue(), resize_, table_))
                finish(host);
        while (!requests_.queue().is_empty()) {
            RequestEffects effects;
            if (!requests_.start_next(request_context(), effects)) break;
            carry_out(effects);
        }
        for (const auto host : table_.idle_hosts())
            if (!is_idle_host_needed(host, requests_.queue(), resize_)) give_back(host);
    }
    void give_back(HostIndex host) {
        const bool is_waited_for = promised_.contains(host) && !requests_.queue().is_empty();
        RC_ASSERT(!is_waited_for);
        unneeded_.insert(host);
        apply(HostUnneeded{host});
    }
    void carry_out(const RequestEffects& effects) {
        for (const auto& effect : effects)
            std::visit(core::Overloaded{
                           [](const Answer& e) { answer(e.askers, e.reply, e.last); },
                           [this](const AskForHosts& e) {
                               if (e.askers) ledger_.use_transaction(e.need.wanted_by);
                               apply(HostsWanted{e.need});
                               RequestEffects next;
                               requests_.on_asked(e, std::nullopt, next);
                               carry_out(next);
                           },
                           [this](const WithdrawHosts& e) { apply(HostsWithdrawn{e.wanted_by}); },
                           [this](const Accept& e) { accept(e); },
                           [this](const CallOffAndAskAgain& e) { call_off_and_ask_again(e.why); },
                           [this](const TakeUp& e) { decide(&ResizeRequests::on_resize, e.asked); },
                           [this](const TellResize& e) { resize_.tell(e.event); },
                           [this](const resize::EndJob&) { end_job(); },
                           [](const auto&) {},  // for users, records and the journal
                       },
                       effect);
    }
    void carry_out(const GroupEffects& effects) {
        for (const auto& effect : effects)
            std::visit(core::Overloaded{
                           [this](const TellResize& e) { resize_.tell(e.event); },
                           [this](const RankEnd& e) { judge(failures_.judge(e)); },
                           [this](const PartEnd& e) { judge(failures_.judge(e)); },
                           [](const auto&) {},  // for agents and users
                       },
                       effect);
    }
    void judge(const Verdict& verdict) {
        if (std::holds_alternative<JobFailed>(verdict)) end_job();
    }

    // ---- the resize that is open ----

    void accept(const Accept& order) {
        RC_ASSERT(!resize_);
        if (order.may_be_asked_again) promised_.clear();
        const auto& asked = order.asked;
        const auto& planned = order.planned;
        resize::ResizePlan plan;
        plan.id = ledger_.next_transaction();
        plan.asked_as = asked.continues.value != 0 ? asked.continues : plan.id;
        plan.before = ledger_.layout();
        plan.after = planned.after.on(table_.allocation());
        plan.added = planned.added;
        plan.given_back = planned.given_back;
        plan.strategy = planned.strategy;
        if (!plan.added.empty() && plan.strategy.start != plan::Start::launch)
            plan.spawns = planned.spawns;
        plan.from_degraded = ledger_.health() == Health::helper;
        for (const auto& group : plan.added)
            for (const auto& share : group.shares()) {
                RC_ASSERT(is_the_jobs(share.host));
                unneeded_.erase(share.host);
                plan.names[share.host] = "a host";
            }
        open_ = std::make_unique<Open>(plan);
        resize_.open(resize::ResizeOperation(std::move(plan)));
        if (order.may_be_asked_again) resize_->asked = asked;
        if (planned.has_next_step)
            resize_->next = ResizeRequests::next_step(
                asked.request, resize_->operation.plan().asked_as, asked.askers);
        ledger_.use_transaction(resize_->operation.plan().id);
        answer(asked.askers, {ReplyKind::accepted, {}}, !asked.request.wait);
        if (asked.request.wait) resize_->add_askers(asked.askers);
        ++opened_;
        resize_.tell(resize::Begin{});
    }
    void call_off_and_ask_again(const std::string& why) {
        if (auto again = std::exchange(resize_->asked, std::nullopt))
            requests_.ask_again(std::move(*again), resize_->operation.plan(),
                                resize_->take_askers());
        resize_.tell(resize::CallOff{why});
    }
    void carry_out(const resize::Effect& effect) {
        ++happened_;
        open_->world.see({effect});
        std::visit(
            core::Overloaded{
                [this](const resize::Record& e) {
                    if (e.required) resize_->events.push_front(resize::Recorded{});
                },
                [this](const resize::UseGroups&) {
                    ledger_.use_groups(static_cast<int>(open_->plan.added.size()));
                },
                [this](const resize::StartGroups&) { start_newcomers(); },
                [this](const resize::KillGroup& e) {
                    GroupEffects effects;
                    groups_.kill(e, effects);
                    carry_out(effects);
                },
                [this](const resize::Commit&) { commit(); },
                [this](const resize::AnswerEarly&) {
                    answer(resize_->take_askers(), {ReplyKind::rolled_back, {}});
                },
                [this](const resize::Finished& e) { finish_resize(e); },
                [this](const resize::EndJob&) { end_job(); }, [](const auto&) {},  // for ranks
            },
            effect);
    }
    void start_newcomers() {
        for (const auto& [host, runs] : groups_.start(open_->plan, false, hosts_now())) {
            const auto agent = agents_.find(host);
            if (agent == agents_.end() || !agent->second.up) {
                start_agent(host);
                continue;
            }
            RC_ASSERT(!agent->second.ends);  // an agent that ends would not start them
        }
    }
    void commit() {
        const auto& plan = open_->plan;
        if (plan.after.hosts().size() > plan.before.hosts().size()) ++counts_.grown_with_more_hosts;
        ledger_.commit(plan);
        groups_.make_members(core::Layout::of(plan.added).groups());
        for (const auto& range : plan.change().leaving) leavers_.push_back(range);
        const auto& all = table_.state().hosts;
        for (const auto host : plan.after.hosts())
            RC_ASSERT(plan.after.ranks_on(host) + plan.after.parked_on(host) <=
                      all.at(static_cast<std::size_t>(host.value)).host.slots);
    }
    void finish_resize(const resize::Finished& finished) {
        auto done = resize_.take();
        const auto open = std::exchange(open_, nullptr);
        ledger_.set_health(done.operation.health_after(ledger_.health()));
        if (finished.called_off) done.next.reset();
        ++closed_;
        if (!finished.committed) {
            ++counts_.rolled_back;
            return answer(done.take_askers(), {ReplyKind::rolled_back, {}});
        }
        ++counts_.committed;
        const auto& plan = open->plan;
        if (plan.replaces_all())
            ledger_.replace_all(static_cast<int>(plan.before.groups().size() + plan.added.size()));
        std::set<HostIndex> hosts;
        for (const auto& range : plan.change().leaving) hosts.insert(range.host);
        for (const auto host : plan.after.hosts()) hosts.erase(host);
        counts_.left += static_cast<int>(hosts.size());
        auto askers = done.take_askers();
        if (done.next) {
            askers.clear();
            requests_.continue_with(std::move(*done.next));
        }
        if (!askers.empty()) requests_.freed().wait(std::move(hosts), "done", std::move(askers));
    }

    // ---- the end ----

    void end_job() {
        if (std::exchange(has_ended_, true)) return;
        ++happened_;
        if (resize_) {
            answer(resize_->take_askers(), {ReplyKind::failed, {}});
            resize_.clear();
            open_ = nullptr;
        }
        RequestEffects dropped;
        requests_.drop_all(ReplyKind::failed, "the job has ended", dropped);
        carry_out(dropped);
        // Commands may still wait until hosts are free. This is their last reply: the broker's
        // connections end with the broker.
        for (const auto& freed :
             requests_.freed().check([](HostIndex) { return FreedHosts::Fate::free; },
                                     [](HostIndex) { return std::string(); }))
            answer(freed.askers, {ReplyKind::done, freed.text});
        apply(JobEnding{});
        for (auto& [host, agent] : agents_) agent.ends = true;
    }

    // ---- what holds ----

    [[nodiscard]] bool is_the_jobs(HostIndex host) const {
        return !host::is_one_of<host::Reserved, host::Released>(state_of(host));
    }
    void check() const {
        for (const auto& known : table_.state().hosts)
            if (!std::holds_alternative<host::Released>(known.state))
                RC_ASSERT(rms_.is_the_jobs(known.host.name));
        if (has_ended_) return;
        for (const auto host : ledger_.layout().hosts()) RC_ASSERT(is_the_jobs(host));
    }
    void check_rest() const {
        RC_ASSERT(!resize_);
        RC_ASSERT(opened_ == closed_);
        RC_ASSERT(requests_.queue().is_empty());
        for (const auto& [number, answers] : answers_) RC_ASSERT(answers == 1);
        const auto& layout = ledger_.layout();
        for (const auto& [id, state] : groups_.table().all()) {
            RC_ASSERT(state.role == GroupRole::member);
            RC_ASSERT(layout.holds(id));
        }
        for (const auto id : layout.groups()) RC_ASSERT(groups_.table().find(id) != nullptr);
        const auto& hosts = table_.state().hosts;
        for (std::size_t i = 0; i < hosts.size(); ++i) {
            const HostIndex host{static_cast<int>(i)};
            const bool is_used = layout.ranks_on(host) > 0;
            RC_ASSERT(is_used == agents_.contains(host));
            if (is_used)
                RC_ASSERT(std::holds_alternative<host::Up>(hosts[i].state));
            else if (!is_kept_)
                RC_ASSERT(std::holds_alternative<host::Released>(hosts[i].state));
        }
        if (!is_kept_) RC_ASSERT(rms_.given_out() == agents_.size());
        RC_ASSERT(table_.state().requests.empty());
    }

    const JobSpec spec_;
    asio::io_context io_;  // for timers, which fire_timer() fires
    ScriptedResourceManager rms_;
    HostTable table_;
    JobLedger ledger_;
    FailureClassifier failures_;
    std::uint64_t worlds_ = 0;
    JobGroups groups_;
    ResizeSlot resize_;
    ResizeRequests requests_;
    std::unique_ptr<Open> open_;
    std::map<HostIndex, Agent> agents_;
    std::set<HostIndex> cleaning_;  ///< a lost agent may still run there
    std::set<HostIndex> promised_;  ///< for the request that has waited for them
    std::set<HostIndex> unneeded_;  ///< given back, and in no plan since
    std::vector<HostLost> lost_;    ///< handled at the end of the event
    std::vector<core::RankRange> leavers_;
    std::map<int, int> answers_;  ///< number of last answers to each question
    WallTime now_{milliseconds(1000)};
    bool has_ended_ = false, is_kept_ = false;
    int next_question_ = 0, opened_ = 0, closed_ = 0, happened_ = 0;
    Counts counts_;
};

void classify(const Job& job) {
    RC_CLASSIFY(job.has_ended(), "ended");
    RC_CLASSIFY(job.counts().committed > 1, "committed more than once");
    RC_CLASSIFY(job.counts().rolled_back > 0, "rolled back");
    RC_CLASSIFY(job.counts().left > 0, "hosts were left");
    RC_CLASSIFY(job.counts().grown_with_more_hosts > 0, "grown onto more hosts");
}

RC_GTEST_PROP(Job, ComesToRestWithNothingLeftBehind, ()) {
    const int hosts = *rc::gen::inRange(2, 9);
    const int held = *rc::gen::inRange(1, hosts + 1);
    Job job(hosts, held, *rc::gen::inRange(1, 7), *rc::gen::element(0, 0, 2));
    for (const auto& step : *any_steps(6)) job.take(step);
    job.come_to_rest();
    classify(job);
    job.end();
}

// The same when the resource manager ends for good. The job then keeps its hosts until it ends.
RC_GTEST_PROP(Job, ComesToRestWhenTheManagerHasEnded, ()) {
    Job job(8, *rc::gen::inRange(1, 9), *rc::gen::inRange(1, 7), 0);
    for (const auto& step : *any_steps(2)) job.take(step);
    job.take({Action::manager_ends, 0, 0});
    for (const auto& step : *any_steps(2))
        if (step.action != Action::revoke) job.take(step);
    job.come_to_rest();
    classify(job);
    job.end();
}

}  // namespace
}  // namespace ductile::broker::job_orders_test
