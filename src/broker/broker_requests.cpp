// What users ask of a running job, what becomes of its hosts, and how that is carried out.
#include <fmt/format.h>

#include "broker/broker.hpp"
#include "broker/job_status_json.hpp"
#include "broker/resize_request_wire.hpp"

namespace ductile::broker {

namespace {

std::string accepted_text(const resize::ResizePlan& plan) {
    const auto how = plan.added.empty()
                         ? std::string()
                         : fmt::format(" ({} {} {})", plan::to_string(plan.strategy.method),
                                       plan::to_string(plan.strategy.start),
                                       plan::to_string(plan.strategy.overlap));
    return fmt::format("resize {}: {} -> {} ranks{}{}", plan.id.value, plan.before.size(),
                       plan.after.size(), plan.replaces_all() ? ", all of them new" : "", how);
}

}  // namespace

void Broker::on_request(const wire::Request& request, const RequestServer::Respond& respond) {
    std::visit(wire::Overloaded{
                   [&](const wire::ResizeRequest& r) {
                       const auto asked = request_from(r);
                       if (!asked)
                           return respond(
                               {wire::ReplyKind::refused, "the size must be at least 1", {}}, true);
                       on_resize({*asked, respond});
                   },
                   [&](const wire::AwaitRequest& r) { on_await(r.transaction, respond); },
                   [&](const wire::StatusRequest&) {
                       respond({wire::ReplyKind::done, {}, status()}, true);
                   },
                   [&](const wire::CancelRequest&) { on_cancel(respond); },
                   [&](const wire::EndRequest&) {
                       end_job(143, "ended on request");
                       respond({wire::ReplyKind::accepted, "the job is being ended", {}}, true);
                   },
               },
               request);
}

void Broker::on_resize(const NextStep& asked) {
    RequestEffects effects;
    requests_.on_resize(asked, request_context(), effects);
    carry_out(effects);
}

void Broker::on_await(core::TransactionId resize, const RequestServer::Respond& respond) {
    if (is<Recovering>())  // settled within a minute
        return recovery_->defer([this, resize, respond] { on_await(resize, respond); });
    auto* step = open_ && open_->next && open_->next->continues == resize
                     ? &*open_->next
                     : requests_.begun_as(resize);
    if (step != nullptr) {
        step->request.wait = true;
        step->respond = respond;
        return;
    }
    if (open_ &&
        (open_->operation.plan().asked_as == resize || open_->operation.plan().id == resize))
        return open_->answer_to([respond](wire::ReplyKind kind, const std::string& text) {
            respond({kind, text, {}}, true);
        });
    const auto outcome = history_.outcome_of(resize);
    respond(
        outcome.value_or(wire::Reply{wire::ReplyKind::refused,
                                     fmt::format("the broker knows of no resize {}", resize.value),
                                     {}}),
        true);
}

void Broker::on_cancel(const RequestServer::Respond& respond) {
    if (is<Starting>())
        return respond(
            {wire::ReplyKind::refused, "the job is still starting; `ductile end` ends it", {}},
            true);
    if (!is_resizing() && !requests_.queue().awaiting())
        return respond({wire::ReplyKind::refused, "no resize is pending", {}}, true);
    RequestEffects effects;
    requests_.stop_awaiting(wire::ReplyKind::rolled_back, "cancelled", effects);
    carry_out(effects);
    if (is_resizing()) tell(resize::CallOff{"cancelled"});
    respond({wire::ReplyKind::accepted, "the pending resize is called off", {}}, true);
}

void Broker::drop_requests(wire::ReplyKind kind, const std::string& text) {
    RequestEffects effects;
    requests_.drop_all(kind, text, effects);
    carry_out(effects);
}

std::string Broker::status() const {
    static constexpr const char* states[] = {"starting", "running", "finishing",
                                             "resuming", "ending",  "ended"};
    return status_of({spec_, hosts_, history_, ledger_, requests_.limits(), open_,
                      requests_.queue(), states[life_.index()]});
}

// ---- what they depend on ----

JobView Broker::view() const {
    JobView view;
    view.layout = ledger_.layout;
    view.allocation = hosts_.table().lasting();
    view.living = hosts_.table().dependable();
    view.given_back = ledger_.given_back;
    view.limits = requests_.limits();
    view.mpi = spec_.mpi;
    view.strategy = spec_.strategy;
    view.automatic = spec_.automatic;
    view.costs = spec_.costs;
    view.next_group = ledger_.next_group;
    view.mpi_worlds_seen = ledger_.mpi_worlds_seen;
    view.health = ledger_.health;
    return view;
}

RequestContext Broker::request_context() const {
    const auto life = is<Starting>()     ? RequestContext::Life::starting
                      : is<Recovering>() ? RequestContext::Life::recovering
                      : is<Running>()    ? RequestContext::Life::running
                                         : RequestContext::Life::ending;
    const auto& table = hosts_.table();
    return {life,
            view(),
            groups_.table(),
            open_ ? &open_->operation : nullptr,
            {table.allocation(), table.revoked(), table.failed(), hosts_.come_and_go(),
             hosts_.any_finishing(), hosts_.describe()},
            {history_.seconds_since_resize(), history_.points_since_resize()},
            core::TransactionId{ledger_.next_transaction},
            wall_time()};
}

// ---- what follows from any event ----

void Broker::start_next_request() {
    while (!requests_.queue().is_empty()) {
        RequestEffects effects;
        if (!requests_.start_next(request_context(), effects)) return;
        carry_out(effects);
    }
}

void Broker::renew_if_degraded() {
    RequestEffects effects;
    requests_.renew_if_degraded(request_context(), effects);
    carry_out(effects);
}

void Broker::leave_revoked_hosts() {
    if (hosts_.table().revoked().empty()) return;
    RequestEffects effects;
    requests_.leave_revoked_hosts(request_context(), effects);
    carry_out(effects);
}

void Broker::give_back_idle_hosts() {
    hosts_.give_back_idle([this](HostIndex host) {
        if (!requests_.queue().is_empty()) return true;  // they are for one of these
        return open_ && (open_->next || open_->operation.plan().after.ranks_on(host) > 0);
    });
}

// ---- what is done about them ----

void Broker::carry_out(const RequestEffects& effects) {
    for (const auto& effect : effects)
        std::visit(wire::Overloaded{
                       [](const Answer& e) { e.asker(e.reply, e.last); },
                       [this](const AskForHosts& e) { ask_for_hosts(e); },
                       [this](const WithdrawHosts& e) { hosts_.withdraw(e.wanted_by); },
                       [this](const StartWorld& e) { start_world(e.group); },
                       [this](const Accept& e) { accept(e); },
                       [this](const CallOffAndAskAgain& e) { call_off_and_ask_again(e.why); },
                       [this](const TakeUp& e) { on_resize(e.asked); },
                       [this](const TellResize& e) { tell(e.event); },
                       [this](const NotifyUser& e) { streams_.notify_user(e.text); },
                       [this](const RecordEvent& e) { history_.event(e.name, e.fields); },
                       [this](const resize::EndJob& e) { end_job(e.code, e.why); },
                   },
                   effect);
}

void Broker::ask_for_hosts(const AskForHosts& order) {
    if (order.asker) ledger_.next_transaction = order.need.wanted_by.value + 1;
    RequestEffects effects;
    requests_.on_asked(order, hosts_.ask(order.need), effects);
    carry_out(effects);
}

void Broker::accept(const Accept& order) {
    const auto& asked = order.asked;
    const auto& planned = order.planned;
    const auto& request = asked.request;
    const auto& respond = asked.respond;
    const auto continues = asked.continues;
    resize::ResizePlan plan;
    plan.id = core::TransactionId{ledger_.next_transaction};
    plan.asked_as = continues.value != 0 ? continues : plan.id;
    plan.before = ledger_.layout;
    plan.after = planned.after;
    plan.added = planned.added;
    plan.given_back = planned.given_back;
    plan.strategy = planned.strategy;
    if (plan::starts_each_host(plan.strategy.start)) plan.readiness = spec_.readiness;
    if (!plan.added.empty() && plan.strategy.start != plan::Start::launch)
        plan.spawns = planned.spawns;
    plan.from_degraded = ledger_.health == Health::helper;
    plan.times.switch_within_s = request.switch_within_s;
    plan.shape = planned.shape;
    if (!planned.has_next_step) plan.expected = planned.cost;
    open_resize(std::move(plan));
    if (order.may_be_asked_again) open_->asked = asked;
    if (planned.has_next_step)
        open_->next = requests_.next_step(request, open_->operation.plan().asked_as, respond);
    ++ledger_.next_transaction;
    if (const auto why = journal_step("a resize is accepted")) {
        --ledger_.next_transaction;
        open_.reset();
        return respond({wire::ReplyKind::refused, *why, {}}, true);
    }
    const auto& opened = open_->operation.plan();
    respond({wire::ReplyKind::accepted, accepted_text(opened), accepted_as(opened.asked_as)},
            !request.wait);
    if (request.wait)
        open_->answer_to([respond](wire::ReplyKind kind, const std::string& text) {
            respond({kind, text, {}}, true);
        });
    tell(resize::Begin{});
    changed();
}

void Broker::call_off_and_ask_again(const std::string& why) {
    if (auto again = std::exchange(open_->asked, std::nullopt))
        requests_.ask_again(std::move(*again), open_->operation.plan(), open_->take_reply());
    tell(resize::CallOff{why});
}

}  // namespace ductile::broker
