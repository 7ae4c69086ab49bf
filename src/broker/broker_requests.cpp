// What users ask of a running job.
#include <fmt/format.h>

#include <algorithm>

#include "broker/broker.hpp"
#include "broker/choose_way.hpp"
#include "broker/job_status_json.hpp"
#include "broker/resize_request_wire.hpp"

namespace ductile::broker {

namespace {

std::string accepted_text(const resize::ResizePlan& plan) {
    const auto how =
        plan.added.empty()
            ? std::string()
            : fmt::format(" ({} {} {})", plan::to_string(plan.way.method),
                          plan::to_string(plan.way.start), plan::to_string(plan.way.overlap));
    return fmt::format("resize {}: {} -> {} ranks{}{}", plan.id.value, plan.before.size(),
                       plan.after.size(), plan.replaces_all() ? ", all of them new" : "", how);
}

}  // namespace

void Broker::on_request(const wire::Request& request, const RequestServer::Respond& respond) {
    std::visit(
        wire::Overloaded{
            [&](const wire::ResizeRequest& r) {
                const auto asked = request_from(r);
                if (!asked)
                    return respond({wire::ReplyKind::refused, "the size must be at least 1", {}},
                                   true);
                on_resize({*asked, respond});
            },
            [&](const wire::AwaitRequest& r) { on_await(r.transaction, respond); },
            [&](const wire::StatusRequest&) {
                respond({wire::ReplyKind::done, {}, status()}, true);
            },
            [&](const wire::CancelRequest&) {
                if (is<Starting>())
                    return respond({wire::ReplyKind::refused,
                                    "the job is still starting; `ductile end` ends it",
                                    {}},
                                   true);
                if (!is_resizing() && !queue_.awaiting())
                    return respond({wire::ReplyKind::refused, "no resize is pending", {}}, true);
                stop_awaiting_hosts(wire::ReplyKind::rolled_back, "cancelled");
                if (is_resizing()) tell(resize::CallOff{"cancelled"});
                respond({wire::ReplyKind::accepted, "the pending resize is called off", {}}, true);
            },
            [&](const wire::EndRequest&) {
                end_job(143, "ended on request");
                respond({wire::ReplyKind::accepted, "the job is being ended", {}}, true);
            },
        },
        request);
}

std::optional<std::string> Broker::refuse_now(const NextStep& asked) const {
    const auto& request = asked.request;
    if (is<Starting>())
        return "the job is still starting (a program that makes no ductile::Job cannot be resized)";
    if (is<Recovering>()) return "the job is just being taken over by this broker";
    if (!is<Running>()) return "the job is ending";
    if (request.renews()) return std::nullopt;            // no change of size
    if (asked.continues.value != 0) return std::nullopt;  // the inhibitors have let it begin
    const auto seconds = history_.seconds_since_resize();
    if (seconds && limits_.inhibitor_s.value > 0 && *seconds < limits_.inhibitor_s.value)
        return fmt::format("the last resize was {:.1f} s ago and the inhibitor is {} s", *seconds,
                           limits_.inhibitor_s.value);
    const auto points = history_.points_since_resize();
    if (points && limits_.inhibitor_points.value > 0 && *points < limits_.inhibitor_points.value)
        return fmt::format("the last resize was {} resize points ago and the inhibitor is {}",
                           *points, limits_.inhibitor_points.value);
    return std::nullopt;
}

void Broker::on_resize(const NextStep& asked) {
    const auto& request = asked.request;
    const auto& respond = asked.respond;
    const auto refuse = [&](const std::string& why) {
        respond({wire::ReplyKind::refused, why, {}}, true);
    };
    if (const auto why = refuse_now(asked)) return refuse(*why);
    if (request.replace)
        stop_awaiting_hosts(wire::ReplyKind::rolled_back, "replaced by another request");
    if (open_ || hosts_.any_finishing() || queue_.awaiting()) {
        if (request.dry_run) return refuse("a resize is pending");
        if (queue_.is_full()) return refuse("too many resizes are waiting");
        if (!open_ || !request.replace || open_->operation.is_undoing())
            return static_cast<void>(queue_.push(asked));
        queue_.push_front(asked);  // before any others that wait
        return tell(resize::CallOff{"replaced by another request"});
    }

    const auto answer = choose_resize(request, view());
    const auto* refused = std::get_if<Refused>(&answer);
    const bool may_ask = hosts_.come_and_go() && asked.no_more_hosts.empty();
    if (may_ask && (refused != nullptr || is_range(request)) && await_hosts(asked, Aim::largest))
        return;
    if (refused != nullptr)
        return refuse(asked.no_more_hosts.empty() ? refused->why
                                                  : refused->why + "; " + asked.no_more_hosts);
    if (const auto* done = std::get_if<NothingToDo>(&answer))
        return respond({wire::ReplyKind::done, done->why, {}}, true);
    const auto& plan = std::get<PlannedResize>(answer);
    if (const auto why = refuse_for_children(groups_.table(), ledger_.layout, plan.after,
                                             hosts_.table().allocation()))
        return refuse(*why);
    if (request.dry_run) return respond({wire::ReplyKind::done, plan.table, {}}, true);
    accept(asked, plan);
}

void Broker::accept(const NextStep& asked, const PlannedResize& planned) {
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
    plan.way = planned.way;
    if (plan::starts_each_host(plan.way.start)) plan.readiness = spec_.readiness;
    if (!plan.added.empty() && plan.way.start != plan::Start::launch) plan.spawns = planned.spawns;
    plan.from_degraded = ledger_.wear == Wear::helper;
    plan.times.switch_within_s = request.switch_within_s;
    plan.shape = planned.shape;
    if (!planned.goes_on) plan.expected = planned.cost;
    open_resize(std::move(plan));
    open_->asked = asked;
    if (planned.goes_on)
        open_->next = next_step(request, open_->operation.plan().asked_as, respond);
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

// With the parked ranks back the request is taken up again, before any others that wait.
NextStep Broker::next_step(const ResizeRequest& request, core::TransactionId begun_as,
                           const RequestServer::Respond& respond) {
    auto rest = request;
    rest.reclaim.clear();  // which the first part has done
    return {rest, later(request, respond), begun_as};
}

RequestServer::Respond Broker::later(const ResizeRequest& request,
                                     const RequestServer::Respond& respond) {
    if (request.wait && respond) return respond;
    return [this](const wire::Reply& reply, bool) {
        if (reply.kind == wire::ReplyKind::refused)
            streams_.notify_user("the resize ends here: " + reply.text);
    };
}

void Broker::drop_requests(wire::ReplyKind kind, const std::string& text) {
    stop_awaiting_hosts(kind, text);
    queue_.answer_all(kind, text);
}

void Broker::on_await(core::TransactionId resize, const RequestServer::Respond& respond) {
    if (is<Recovering>())  // settled within a minute
        return recovery_->defer([this, resize, respond] { on_await(resize, respond); });
    auto* step = open_ && open_->next && open_->next->continues == resize ? &*open_->next
                                                                          : queue_.begun_as(resize);
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

JobView Broker::view() const {
    JobView view;
    view.layout = ledger_.layout;
    view.allocation = hosts_.table().lasting();
    view.living = hosts_.table().dependable();
    view.given_back = ledger_.given_back;
    view.limits = limits_;
    view.mpi = spec_.mpi;
    view.way = spec_.way;
    view.automatic = spec_.automatic;
    view.costs = spec_.costs;
    view.next_group = ledger_.next_group;
    view.worlds_met = ledger_.worlds_met;
    view.wear = ledger_.wear;
    return view;
}

void Broker::start_next_request() {
    while (is<Running>() && !open_ && !hosts_.any_finishing() && !queue_.awaiting()) {
        const auto next = queue_.pop();
        if (!next) return;
        on_resize(*next);
    }
}

void Broker::renew_if_degraded() {
    const bool quiet = is<Running>() && !open_ && !hosts_.any_finishing() && !queue_.awaiting();
    if (!queue_.renewal_is_due(quiet, ledger_.wear == Wear::helper, Clock::now())) return;
    streams_.notify_user("the job is worn: its ranks are replaced");
    ResizeRequest request;
    request.goal = Renewal{};
    on_resize({request, [this](const wire::Reply& reply, bool) {
                   if (reply.kind == wire::ReplyKind::refused)
                       streams_.notify_user("they are not: " + reply.text);
               }});
}

std::string Broker::status() const {
    static constexpr const char* states[] = {"starting", "running", "finishing",
                                             "resuming", "ending",  "ended"};
    return status_of(
        {spec_, hosts_, history_, ledger_, limits_, open_, queue_, states[life_.index()]});
}

}  // namespace ductile::broker
