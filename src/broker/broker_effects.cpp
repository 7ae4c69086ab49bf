// Carries out the effects of groups and requests.
#include <fmt/format.h>

#include "broker/accepted_json.hpp"
#include "broker/broker.hpp"

namespace ductile::broker {

namespace {

std::string accepted_text(const resize::ResizePlan& plan) {
    const auto& strategy = plan.strategy;
    const auto how =
        plan.added.empty()
            ? std::string()
            : fmt::format(" ({} {} {}{})", plan::to_string(strategy.method),
                          plan::to_string(strategy.start), plan::to_string(strategy.overlap),
                          plan.joins_in_background() ? ", joined in the background" : "");
    return fmt::format("resize {}: {} -> {} ranks{}{}", plan.id.value, plan.before.size(),
                       plan.after.size(), plan.replaces_all() ? ", all of them new" : "", how);
}

}  // namespace

// ---- groups ----

void Broker::start_newcomers() {
    auto& agents = hosts_.agents();
    const auto runs =
        groups_.start(resize_->operation.plan(), streams_.has_input(), hosts_of(hosts_));
    for (const auto& [host, on_host] : runs) {
        if (!agents.is_up(host)) {
            hosts_.start(host, on_host);
            continue;
        }
        for (const auto& run : on_host) agents.send(host, run);
    }
}

void Broker::carry_out(const GroupEffects& effects) {
    for (const auto& effect : effects)
        std::visit(wire::Overloaded{
                       [this](const HostOrder& e) { hosts_.agents().send(e.host, e.message); },
                       [this](const TellResize& e) { resize_.tell(e.event); },
                       [this](const NotifyUser& e) { streams_.notify_user(e.text); },
                       [this](const ChildrenBegin&) {
                           ledger_.use_groups(1);
                           journal("the program starts processes itself");
                       },
                       [this](const StartAgent& e) { hosts_.start(e.host, {e.run}); },
                       [this](const RankEnd& e) { act_on(life_.failures().judge(e)); },
                       [this](const PartEnd& e) { act_on(life_.failures().judge(e)); },
                   },
                   effect);
}

// ---- requests ----

void Broker::carry_out(const RequestEffects& effects) {
    for (const auto& effect : effects)
        std::visit(wire::Overloaded{
                       [this](const Answer& e) { answer(e.askers, e.reply, e.last); },
                       [this](const AskForHosts& e) {
                           if (e.askers) ledger_.use_transaction(e.need.wanted_by);
                           RequestEffects next;
                           requests_.on_asked(e, hosts_.ask(e.need), next);
                           carry_out(next);
                       },
                       [this](const WithdrawHosts& e) { hosts_.withdraw(e.wanted_by); },
                       [this](const StartWorld& e) { start_world(e.group); },
                       [this](const Accept& e) { accept(e); },
                       [this](const CallOffAndAskAgain& e) { call_off_and_ask_again(e.why); },
                       [this](const TakeUp& e) { decide(&ResizeRequests::on_resize, e.asked); },
                       [this](const TellResize& e) { resize_.tell(e.event); },
                       [this](const NotifyUser& e) { streams_.notify_user(e.text); },
                       [this](const RecordStep& e) { static_cast<void>(journal(e.step)); },
                       [this](const RecordEvent& e) { history_.event(e.name, e.fields); },
                       [this](const resize::EndJob& e) { end_job(e.code, e.why); },
                   },
                   effect);
}

void Broker::accept(const Accept& order) {
    const auto& asked = order.asked;
    const auto& planned = order.planned;
    const auto& request = asked.request;
    const auto continues = asked.continues;
    resize::ResizePlan plan;
    plan.id = ledger_.next_transaction();
    plan.asked_as = continues.value != 0 ? continues : plan.id;
    plan.before = ledger_.layout();
    plan.after = planned.after.on(hosts_.table().allocation());
    plan.added = planned.added;
    plan.given_back = planned.given_back;
    plan.strategy = planned.strategy;
    if (plan::starts_each_host(plan.strategy.start)) plan.readiness = spec_.readiness;
    if (!plan.added.empty() && plan.strategy.start != plan::Start::launch)
        plan.spawns = planned.spawns;
    groups_.allot_local_ranks(plan);
    plan.from_degraded = ledger_.health() == Health::helper;
    plan.times.switch_within_s = request.switch_within_s;
    plan.shape = planned.shape;
    if (!planned.has_next_step) plan.expected = planned.cost;
    open_resize(std::move(plan));
    if (order.may_be_asked_again) resize_->asked = asked;
    if (planned.has_next_step) {
        resize_->next =
            ResizeRequests::next_step(request, resize_->operation.plan().asked_as, asked.askers);
        resize_->next->only_at_once = asked.only_at_once;
    }
    ledger_.use_transaction(resize_->operation.plan().id);
    if (const auto why = journal("a resize is accepted")) {
        ledger_.take_back(resize_->operation.plan().id);
        resize_.clear();
        return answer(asked.askers, {ReplyKind::refused, *why});
    }
    const auto& opened = resize_->operation.plan();
    answer(asked.askers, {ReplyKind::accepted, accepted_text(opened), accepted_as(opened.asked_as)},
           !request.wait);
    if (request.wait) resize_->add_askers(asked.askers);
    resize_.tell(resize::Begin{});
}

void Broker::call_off_and_ask_again(const std::string& why) {
    if (auto again = std::exchange(resize_->asked, std::nullopt))
        requests_.ask_again(std::move(*again), resize_->operation.plan(), resize_->take_askers());
    resize_.tell(resize::CallOff{why});
}

}  // namespace ductile::broker
