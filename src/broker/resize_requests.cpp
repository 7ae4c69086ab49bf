#include "broker/resize_requests.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "broker/child_spawns.hpp"
#include "broker/choose_strategy.hpp"
#include "broker/requested_hosts.hpp"
#include "core/counted.hpp"

namespace ductile::broker {

namespace {

using Life = RequestContext::Life;

/// Nothing is open or on its way out, so that a request may begin.
bool is_quiet(const RequestContext& now, const RequestQueue& queue) {
    return now.open == nullptr && !now.hosts.any_finishing && !queue.awaiting();
}

bool is_degraded(const RequestContext& now) {
    return now.job.health == Health::helper;
}

std::optional<std::string> inhibited(const SinceResize& since, const Limits& limits) {
    if (since.seconds && limits.inhibitor_s.value > 0 && *since.seconds < limits.inhibitor_s.value)
        return fmt::format("the last resize was {:.1f} s ago and the inhibitor is {} s",
                           *since.seconds, limits.inhibitor_s.value);
    if (since.points && limits.inhibitor_points.value > 0 &&
        *since.points < limits.inhibitor_points.value)
        return fmt::format("the last resize was {} resize points ago and the inhibitor is {}",
                           *since.points, limits.inhibitor_points.value);
    return std::nullopt;
}

std::optional<std::string> refuse_now(const NextStep& asked, const RequestContext& now,
                                      const Limits& limits) {
    if (now.life == Life::starting)
        return "the job is still starting (a program that makes no ductile::Job cannot be resized)";
    if (now.life == Life::recovering) return "the job is just being taken over by this broker";
    if (now.life != Life::running) return "the job is ending";
    if (asked.request.renews()) return std::nullopt;      // no change of size
    if (asked.continues.value != 0) return std::nullopt;  // the inhibitors have let it begin
    return inhibited(now.since, limits);
}

Answer refusal(const NextStep& asked, const std::string& why) {
    return {asked.respond, {wire::ReplyKind::refused, why, {}}};
}

}  // namespace

Respond later(const ResizeRequest& request, const Respond& respond,
              const ResizeRequests::Notify& notify) {
    if (request.wait && respond) return respond;
    return [notify](const wire::Reply& reply, bool) {
        if (reply.kind == wire::ReplyKind::refused) notify("the resize ends here: " + reply.text);
    };
}

void ResizeRequests::on_code_options(const wire::CodeOptions& options, RequestEffects& out) {
    if (options == code_) return;  // by the rank 0 of another world
    Limits code;
    code.min = {options.min, Origin::code};
    code.max = {options.max, Origin::code};
    code.preferred = {options.preferred, Origin::code};
    code.multiple = {options.multiple, Origin::code};
    code.inhibitor_points = {options.inhibitor_points, Origin::code};
    code.inhibitor_s = {options.inhibitor_s, Origin::code};
    code.one_world = {options.one_world, Origin::code};
    limits_ = given_limits_;  // what the code has said before holds no more
    if (const auto refused = merge_code(limits_, code))
        add(out, NotifyUser{*refused + "; the program's holds"});
    code_ = options;
}

void ResizeRequests::on_resize(const NextStep& asked, const RequestContext& now,
                               RequestEffects& out) {
    const auto& request = asked.request;
    if (const auto why = refuse_now(asked, now, limits_)) return add(out, refusal(asked, *why));
    if (request.replace && queue_.awaiting()) {
        stop_awaiting(wire::ReplyKind::rolled_back, "replaced by another request", out);
        return add(out, TakeUp{asked});  // with the hosts that are then there
    }
    if (is_quiet(now, queue_)) return decide(asked, now, out);
    if (request.dry_run) return add(out, refusal(asked, "a resize is pending"));
    if (queue_.is_full()) return add(out, refusal(asked, "too many resizes are waiting"));
    const bool replaces = now.open != nullptr && request.replace && !now.open->is_undoing();
    if (replaces)
        queue_.push_front(asked);  // before any others that wait
    else
        static_cast<void>(queue_.push(asked));
    add(out, RecordStep{"a request waits for its turn"});
    if (replaces) add(out, TellResize{resize::CallOff{"replaced by another request"}});
}

void ResizeRequests::decide(const NextStep& asked, const RequestContext& now, RequestEffects& out) {
    const auto& request = asked.request;
    const auto answer = choose_resize(request, now.job);
    const auto* refused = std::get_if<Refused>(&answer);
    const auto& no_more = asked.no_more_hosts.empty() ? now.hosts.no_more : asked.no_more_hosts;
    const auto with_reason = [&no_more](const std::string& text) {
        return no_more.empty() ? text : text + "; " + no_more;
    };
    const bool may_ask = now.hosts.come_and_go && no_more.empty();
    if (may_ask && (refused != nullptr || is_range(request)) &&
        await_hosts(asked, Aim::largest, now, out))
        return;
    if (refused != nullptr) {
        auto why = refused->why;
        if (const auto children = slots_of_children(now.groups); !children.empty())
            why += "; used by processes that the program has started: " +
                   slots_text(children, now.hosts.all);
        return add(out, refusal(asked, with_reason(why)));
    }
    if (const auto* done = std::get_if<NothingToDo>(&answer))
        return add(out, Answer{asked.respond, {wire::ReplyKind::done, with_reason(done->why), {}}});
    const auto& planned = std::get<PlannedResize>(answer);
    if (const auto why =
            refuse_for_children(now.groups, now.job.layout, planned.after, now.hosts.all))
        return add(out, refusal(asked, *why));
    if (request.dry_run)
        return add(out, Answer{asked.respond, {wire::ReplyKind::done, planned.table, {}}});
    add(out, Accept{asked, planned});
}

bool ResizeRequests::start_next(const RequestContext& now, RequestEffects& out) {
    if (now.life != Life::running || !is_quiet(now, queue_)) return false;
    const auto next = queue_.pop();
    if (!next) return false;
    on_resize(*next, now, out);
    const bool goes_on = std::ranges::any_of(out, [](const RequestEffect& effect) {
        return std::holds_alternative<Accept>(effect) ||
               std::holds_alternative<AskForHosts>(effect);
    });
    // Answered, it is not to be asked again by the next broker.
    if (!goes_on) add(out, RecordStep{"a request that waited is answered"});
    return true;
}

void ResizeRequests::renew_if_degraded(const RequestContext& now, RequestEffects& out) {
    const bool quiet = now.life == Life::running && is_quiet(now, queue_);
    if (!queue_.renewal_is_due(quiet, is_degraded(now), Clock::now())) return;
    add(out, NotifyUser{"the job is degraded: its ranks are replaced"});
    ResizeRequest request;
    request.goal = Renewal{};
    on_resize({request,
               [notify = notify_](const wire::Reply& reply, bool) {
                   if (reply.kind == wire::ReplyKind::refused)
                       notify("they are not: " + reply.text);
               }},
              now, out);
}

std::optional<Clock::time_point> renewal_at(const RequestQueue& queue, const RequestContext& now) {
    return queue.renewal_at(now.life == Life::running && is_quiet(now, queue), is_degraded(now));
}

void ResizeRequests::stop_awaiting(wire::ReplyKind kind, const std::string& why,
                                   RequestEffects& out) {
    const auto awaiting = queue_.take_awaiting();
    if (!awaiting) return;
    add(out, WithdrawHosts{awaiting->id});
    add(out, Answer{awaiting->asked.respond, {kind, why, {}}});
}

void ResizeRequests::drop_all(wire::ReplyKind kind, const std::string& text, RequestEffects& out) {
    stop_awaiting(kind, text, out);
    while (const auto one = queue_.pop()) add(out, Answer{one->respond, {kind, text, {}}});
}

// With the parked ranks back the request is taken up again, before any others that wait.
NextStep ResizeRequests::next_step(const ResizeRequest& request, core::TransactionId begun_as,
                                   const Respond& respond) const {
    auto rest = request;
    rest.reclaim.clear();  // which the first part has done
    return {rest, later(request, respond, notify_), begun_as};
}

void ResizeRequests::ask_again(NextStep asked, const resize::ResizePlan& plan,
                               OpenResize::Reply reply) {
    asked.respond = [notify = notify_, reply = std::move(reply)](const wire::Reply& answer,
                                                                 bool last) {
        if (last && reply) reply(answer.kind, answer.text);
        if (!reply && answer.kind == wire::ReplyKind::refused)
            notify("the resize ends here: " + answer.text);
    };
    asked.continues = plan.asked_as;
    asked.no_more_hosts.clear();
    for (const auto& group : plan.added)
        for (const auto& share : group.shares()) asked.keeps.insert(share.host);
    queue_.push_front(std::move(asked));
}

// Who asked has gone with the former broker, or was told that it waits for nothing more.
void ResizeRequests::restore(const Snapshot& known) {
    const auto again = [this](const ResizeRequest& request, core::TransactionId continues) {
        return NextStep{request, later(request, nullptr, notify_), continues};
    };
    if (const auto& one = known.awaiting)
        queue_.await({again(one->request, one->continues), one->id, one->hosts, one->aim});
    if (known.stage != Stage::running || known.waiting.empty()) return;
    for (const auto& one : known.waiting)
        static_cast<void>(queue_.push(again(one.request, one.continues)));
    notify_(fmt::format("{} that waited for {} turn {} carried on",
                        core::counted(static_cast<int>(known.waiting.size()), "request"),
                        known.waiting.size() == 1 ? "its" : "their",
                        known.waiting.size() == 1 ? "is" : "are"));
}

}  // namespace ductile::broker
