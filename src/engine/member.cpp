#include "engine/member.hpp"

#include <time.h>

#include "engine/vote.hpp"

namespace ductile::engine {

namespace {

using namespace std::chrono_literals;

double monotonic_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace

Member::Member(std::shared_ptr<AgentLink> link, std::shared_ptr<data::Registry> registry)
    : link_(std::move(link)),
      registry_(std::move(registry)),
      bridge_(link_),
      spawner_(link_, [this](bool on) { desk_.set_spawning(on); }) {
    desk_.on_standing([this](wire::Standing standing) {
        standing.accepting = bridge_.is_accepting();
        link_->send(standing);
    });
}

Member::~Member() = default;

void Member::on_message(const wire::ToRank& message) {
    std::visit(wire::Overloaded{
                   [&](const wire::Question& m) {
                       if (const auto answer = desk_.question(m)) link_->send(*answer);
                   },
                   [&](const wire::Decide& m) { desk_.decide(m); },
                   [&](const wire::Abandon& m) {
                       desk_.abandon(m.transaction, m.why);
                       bridge_.give_up(m.transaction);
                       spawner_.give_up(m.transaction);
                   },
                   [&](const wire::Underway& m) {
                       desk_.underway(m.on);
                       if (m.on) return;
                       bridge_.give_up(m.transaction);
                       spawner_.give_up(m.transaction);
                   },
                   [&](const wire::OpenBridge& m) { bridge_.open(m.transaction, m.secret); },
                   [&](const wire::AcceptBridge& m) { bridge_.accept(m.transaction); },
                   [&](const wire::SpawnGroup& m) { on_start_order(m); },
                   [&](const wire::SharePorts& m) { on_start_order(m); },
                   [&](const wire::Proceed& m) { desk_.proceed(m.transaction); },
                   [&](const wire::ComeBack& m) { desk_.come_back(m.transaction); },
                   [&](const wire::MayEnd&) { desk_.may_end(); },
                   [&](const wire::NoneFinalises&) { rolled_back_ = true; },
                   [&](const wire::BrokerLost&) {
                       spawner_.stop_sharing();
                       cast_early_vote();
                   },
                   [&](const wire::BrokerBack&) { desk_.broker_back(); },
                   [](const auto&) {},  // for processes that are not members yet
               },
               message);
}

// Orders of the transaction by which this process itself comes are not for a member.
void Member::on_start_order(const StartOrder& order) {
    const auto& welcome = link_->welcome();
    const auto transaction = std::visit([](const auto& one) { return one.transaction; }, order);
    if (welcome.role == wire::Role::newcomer && transaction == welcome.transaction) return;
    const std::lock_guard lock(early_mutex_);
    if (begun_)
        spawner_.carry_out(order, membership_.comms.switching);
    else
        early_orders_.push_back(order);
}

void Member::cast_early_vote() {
    if (!desk_.broker_lost()) return;
    // The link's thread must not wait for other ranks. Nothing else uses the vote duplicate: this
    // vote is claimed.
    std::thread([this, vote = membership_.comms.vote] {
        try {
            cast_vote(*vote, Ballot{{}, 0, false, true});
        } catch (const Error&) {  // a peer is lost; its agent ends the job
        }
        desk_.cancel();
    }).detach();
}

void Member::on_tick() {
    if (leader_) link_->send(wire::Pace{desk_.counter.count(), monotonic_seconds()});
    const std::lock_guard lock(attempt_mutex_);
    if (!attempt_ || attempt_->steps() == reported_steps_) return;
    reported_steps_ = attempt_->steps();
    link_->send(wire::Progress{attempt_transaction_});
}

void Member::begin(Membership membership) {
    const auto point = membership.point;
    become(std::move(membership));
    const auto& welcome = link_->welcome();
    desk_.stand(welcome.role == wire::Role::newcomer ? welcome.transaction : core::TransactionId{},
                false);
    begin_at(point);
}

void Member::begin_at(std::int64_t point) {
    if (const auto answer = desk_.begin(point)) link_->send(*answer);
    if (desk_.lost_meanwhile()) cast_early_vote();
    carry_out_early_orders();
}

void Member::carry_out_early_orders() {
    const std::lock_guard lock(early_mutex_);
    begun_ = true;
    for (const auto& order : early_orders_) spawner_.carry_out(order, membership_.comms.switching);
    early_orders_.clear();
}

void Member::become(Membership membership) {
    before_new_();
    // What goes wrong in the program's own calls is the program's matter, at every size.
    mpi::take_error_handler(is_member() ? membership_.comms.job->get() : MPI_COMM_WORLD,
                            *membership.comms.job);
    membership_ = std::move(membership);
    rank_ = membership_.comms.job->rank();
    size_ = membership_.comms.job->size();
    leader_ = rank_ == 0;
    link_->set_ticking(leader_);
}

Resized Member::stop_at(std::int64_t point) {
    const auto plan = desk_.wait_at(point);
    if (!plan) return Resized::pending;
    if (!desk_.claim_vote()) {  // the broker was lost and a helper votes for this rank: it ends in
                                // a cancel
        desk_.wait_at(point);
        return Resized::unchanged;
    }
    if (!plan->added.empty()) return expand(*plan);
    return plan->after.size() > size_ ? take_back(*plan) : shrink(*plan);
}

std::vector<data::Outgoing> Member::outgoing() const {
    std::vector<data::Outgoing> arrays;
    for (const auto& [name, array] : registry_->arrays)
        arrays.push_back({array->spec, array->block});
    return arrays;
}

void Member::adopt_parts(const std::vector<data::Block>& parts) {
    std::size_t i = 0;
    for (auto& [name, array] : registry_->arrays) array->block = parts[i++];
}

bool Member::first_vote(const wire::Decide& plan, const std::string& objection) {
    return cast_vote(*membership_.comms.vote,
                     {plan.transaction, plan.point, objection.empty(), false})
        .all_yes;
}

void Member::report(SwitchReport report, std::chrono::steady_clock::time_point begin) {
    report.leader = leader_;
    report.worn = worn_;
    if (report.why.size() > wire::limits::text_bytes) report.why.resize(wire::limits::text_bytes);
    desk_.stand(report.committed ? std::optional(report.transaction) : std::nullopt, worn_);
    desk_.conclude();
    report.stall_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    link_->send(report);
}

Resized Member::leave() {
    before_new_();
    membership_ = {};
    left_ = true;
    leader_ = false;
    link_->set_ticking(false);
    return Resized::leave;
}

Parting Member::finish() {
    desk_.finish();
    // MPI_Finalize keeps a core busy, which those that stay may need to get on.
    if (left_) desk_.wait_to_end(1s);
    // An accept that waits is ended by a stand-in within a second or so; then the thread leaves
    // MPI.
    const bool bridge_ended = bridge_.finish(8s);
    const bool spawner_ended = spawner_.finish(8s);
    return {rolled_back_, worn_ || !bridge_ended || !spawner_ended};
}

}  // namespace ductile::engine
