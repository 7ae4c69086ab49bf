#include "engine/member.hpp"

#include <cstdio>
#include <thread>

#include "engine/check_hook.hpp"
#include "engine/mpi_time_hook.hpp"
#include "engine/stay_parked.hpp"
#include "engine/switches.hpp"

namespace ductile::engine {

namespace {

using namespace std::chrono_literals;

// How long a new rank 0 waits for the input of the job, which the program may read immediately.
// There is a limit because the input does not come if the broker is lost.
constexpr auto input_within = 2s;

gate::Event to_event(const wire::Decision& decision) {
    if (decision.point == 0) return gate::CalledOff{decision.transaction};
    return gate::Announced{{decision.transaction,
                            decision.point,
                            wire::to_groups(decision.added),
                            decision.after,
                            decision.blocking,
                            decision.joined,
                            decision.redistribution,
                            {decision.move_costs.begin(), decision.move_costs.end()},
                            decision.memory}};
}

}  // namespace

double monotonic_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

Member::Member(std::shared_ptr<AgentChannel> link, MpiCalls mpi,
               std::shared_ptr<data::Registry> registry, std::shared_ptr<const Hooks> hooks,
               core::Process self, std::function<double()> now)
    : link_(std::move(link)),
      mpi_(std::move(mpi)),
      reports_(*link_, std::move(now), ductile_mpi_seconds),
      gate_(gate_actions()),
      state_(*link_, *mpi_.peers, std::move(registry), std::move(hooks), self),
      bridge_(link_, mpi_.join),
      spawner_(link_, mpi_.spawn,
               [this](bool on) {
                   gate_.tell(gate::HelperWorks{gate::Helper::spawner, on});
               }),
      background_join_(link_, [this](bool on) { on_background_join(on); }),
      tools_{*link_, mpi_, gate_, state_, bridge_, spawner_, background_join_, progress_} {}

Member::~Member() = default;

GateActions Member::gate_actions() {
    return {
        [this](const gate::Prepare& prepare, std::int64_t count, bool finished) {
            link_->send(wire::PointAnswer{prepare.transaction, prepare.attempt, count, finished});
        },
        [this] { cast_early_vote(); },
        [this](core::TransactionId transaction) { link_->send(wire::VotesEarly{transaction}); },
        [this](const gate::RankReport& report) {
            link_->send(
                wire::RankReport{report.transaction, report.degraded, bridge_.is_accepting()});
        }};
}

void Member::on_message(const wire::ToRank& message) {
    std::visit(
        wire::Overloaded{
            [&](const wire::Prepare& m) { on_prepare(m); },
            [&](const wire::Decision& m) { gate_.tell(to_event(m)); },
            [&](const wire::Abandon& m) {
                gate_.tell(gate::NewcomersLost{m.transaction, m.why});
                background_join_.abandon(m.transaction);
                give_up(m.transaction);
            },
            [&](const wire::ResizePending& m) {
                gate_.counter.set_pending(m.on);
                if (m.on)
                    state_.preparation.begin(m.transaction, m.after);
                else
                    on_rolled_back(m.transaction);
            },
            [&](const wire::OpenBridge& m) { bridge_.open(m.transaction, m.secret); },
            [&](const wire::AcceptBridge& m) { bridge_.accept(m.transaction); },
            [&](const wire::SpawnGroup& m) { on_start_order(m); },
            [&](const wire::SharePorts& m) { on_start_order(m); },
            [&](const wire::MergeGroup& m) { spawner_.merge(m.transaction); },
            [&](const wire::Join& m) { on_join(m); },
            [&](const wire::Proceed& m) { gate_.tell(gate::NewcomersReady{m.transaction}); },
            [&](const wire::ComeBack& m) { gate_.tell(gate::CalledBack{m.transaction}); },
            [&](const wire::ExitPermitted&) { gate_.tell(gate::ExitPermitted{}); },
            [&](const wire::SkipFinalize&) { state_.health.skip_finalize = true; },
            [&](const wire::BrokerLost&) {
                spawner_.stop_sharing();
                gate_.tell(gate::BrokerLost{});
            },
            [&](const wire::BrokerBack&) { gate_.tell(gate::BrokerBack{}); },
            [&](const wire::CallToVote& m) { gate_.tell(gate::CalledToVote{m.transaction}); },
            [](const auto&) {},  // messages for processes that are not members yet
        },
        message);
}

// While the program's on_prepare functions run, the rank does not answer. It has told the broker
// (Preparing). The broker asks again when these functions have ended on all ranks.
void Member::on_prepare(const wire::Prepare& order) {
    state_.preparation.begin(order.transaction, order.after);
    if (state_.preparation.is_open(order.transaction)) return;
    gate_.tell(gate::Asked{{order.transaction, order.attempt}});
}

void Member::prepare() {
    const auto& welcome = link_->welcome();
    progress_.let_program_work(welcome.transaction);
    link_->set_ticking(true);
    link_->send(wire::Preparing{welcome.transaction, true});
    state_.preparation.make(welcome.after);
    link_->send(wire::Preparing{welcome.transaction, false});
    link_->set_ticking(false);
    progress_.end();
}

void Member::give_up(core::TransactionId transaction) {
    bridge_.give_up(transaction);
    spawner_.give_up(transaction);
}

void Member::on_rolled_back(core::TransactionId transaction) {
    give_up(transaction);
    if (background_join_.drop(transaction)) state_.health.skip_finalize = true;
}

// Whether this process is a newcomer of this transaction. Then become_member() carries out the
// orders of this transaction.
bool Member::comes_by(core::TransactionId transaction) const {
    const auto& welcome = link_->welcome();
    return welcome.role == wire::Role::newcomer && transaction == welcome.transaction;
}

void Member::on_start_order(const StartOrder& order) {
    if (comes_by(std::visit([](const auto& one) { return one.transaction; }, order))) return;
    orders_.put([this, order] { spawner_.carry_out(order, state_.membership().comms.switching); });
}

void Member::on_join(const wire::Join& order) {
    if (!order.background || comes_by(order.transaction)) return;
    orders_.put([this, order] {
        const auto everybody = wire::to_ranges(order.everybody);
        const auto& sources = state_.membership().comms.switching;
        JoinSide side{sources, 0, nullptr, false, order.transaction, {}, false};
        side.partners = partners_beyond(everybody, state_.size(), core::Rank{state_.rank()});
        if (state_.is_leader()) side.bridge = bridge_.take(order.transaction);
        if (state_.is_leader() && !side.bridge) side.bridge = spawner_.take(order.transaction);
        JoinState state;
        state.layout = order.after;
        state.targets = targets_of({everybody, {}}, state.layout);
        state.redistribution = order.redistribution;
        background_join_.begin({mpi_, std::move(side), core::ranks_in(everybody),
                                state_.membership().layout, std::move(state),
                                state_.registry().frozen.all(), link_->welcome().verify});
    });
}

void Member::on_background_join(bool on) {
    gate_.tell(gate::HelperWorks{gate::Helper::background_join, on});
    link_->set_ticking(on || state_.is_leader());
}

// In a thread of its own, because the link's thread must not wait for other ranks. Nothing else
// uses the communicator of the votes meanwhile: a rank votes once in a resize, early or at the
// point.
void Member::cast_early_vote() {
    std::thread([this, peers = mpi_.peers, vote = state_.membership().comms.vote] {
        try {
            peers->vote(*vote, Ballot{{}, 0, false, true});
        } catch (const Error&) {  // a peer is lost; the agent of the peer ends the job
        }
        gate_.tell(gate::EarlyVoteEnded{});
    }).detach();
}

void Member::on_tick() {
    if (state_.is_leader()) reports_.send_pace(gate_.counter.count());
    for (const auto& transaction : {progress_.take_progress(), background_join_.take_progress()})
        if (transaction) link_->send(wire::Progress{*transaction});
}

void Member::begin(Membership membership) {
    const auto point = membership.point;
    state_.become(std::move(membership));
    const auto& welcome = link_->welcome();
    gate_.begin(point,
                welcome.role == wire::Role::newcomer ? welcome.transaction : core::TransactionId{});
    orders_.open();
    if (welcome.role == wire::Role::newcomer && state_.is_leader())
        link_->wait_for_input(input_within);
    reports_.begin();
}

Resized Member::stop_at(std::int64_t point) {
    const ProgramReports::Interruption interrupts(reports_);
    std::optional<SwitchPlan> plan;
    {
        const CheckedWait waits("Job::resize_point()");
        plan = gate_.wait_at(point);
    }
    if (!plan) return Resized::pending;
    if (plan->redistribution == plan::Executor::automatic)
        plan->redistribution = plan::choose_executor(
            plan->move_costs, plan::move_shape(state_.size(), plan->after.size(),
                                               data::bytes_in_all(state_.registry())));
    const bool was_leader = state_.is_leader();
    LinkedRank rank(tools_);
    auto fate = run_switch(*make_switch(tools_, *plan), *plan, rank);
    state_.drop_old_parts();
    if (fate == Fate::parks) fate = stay_parked(tools_, orders_, rank, plan->transaction);
    if (fate == Fate::unchanged) return Resized::unchanged;
    if (fate == Fate::stays) {
        if (!was_leader && state_.is_leader()) link_->wait_for_input(input_within);
        return Resized::resized;
    }
    state_.leave();
    left_ = true;
    return Resized::leave;
}

Parting Member::finish() {
    gate_.finish();
    state_.preparation.finish([this] {
        std::fprintf(
            stderr,
            "ductile: rank %d waits for the end of its on_prepare function, and ends then\n",
            state_.rank());
    });
    // MPI_Finalize keeps a core busy. The ranks that stay may need this core to continue.
    if (left_) gate_.wait_to_exit(1s);
    // An abort connector ends a waiting accept within about a second. Then the thread leaves MPI.
    const bool bridge_ended = bridge_.finish(8s);
    const bool spawner_ended = spawner_.finish(8s);
    if (background_join_.is_open()) state_.health.skip_finalize = true;
    const bool join_ended = background_join_.finish(8s);
    return {state_.health.skip_finalize,
            state_.health.degraded || !bridge_ended || !spawner_ended || !join_ended};
}

}  // namespace ductile::engine
