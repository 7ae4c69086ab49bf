#include "broker/resize_requests.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "broker/child_hosts.hpp"
#include "broker/choose_strategy.hpp"
#include "broker/requested_hosts.hpp"
#include "core/counted.hpp"

namespace ductile::broker {

namespace {

using Life = RequestContext::Life;

/// Whether a request may begin: no resize is open, no agent is ending, no request waits for hosts.
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
    if (asked.continues.value != 0) return std::nullopt;  // the inhibitors allowed its begin
    return inhibited(now.since, limits);
}

Answer refusal(const NextStep& asked, const std::string& why) {
    return {asked.askers, {ReplyKind::refused, why}};
}

}  // namespace

std::optional<std::string> why_not_now(const ResizeRequests& requests, const RequestContext& now) {
    if (auto why = refuse_now({}, now, requests.limits())) return why;
    if (!is_quiet(now, requests.queue()) || !requests.queue().is_empty())
        return "another resize is open or waits";
    return std::nullopt;
}

Askers later(const ResizeRequest& request, const Askers& askers) {
    if (request.wait && !askers.empty()) return askers;
    return {JobsUser{"the resize ends here: "}};
}

void ResizeRequests::on_code_options(const ProgramLimits& options, RequestEffects& out) {
    if (options == code_) return;  // repeated by rank 0 of another world
    Limits code;
    code.min = {options.min, Origin::code};
    code.max = {options.max, Origin::code};
    code.preferred = {options.preferred, Origin::code};
    code.multiple = {options.multiple, Origin::code};
    code.inhibitor_points = {options.inhibitor_points, Origin::code};
    code.inhibitor_s = {options.inhibitor_s, Origin::code};
    code.one_world = {options.one_world, Origin::code};
    limits_ = given_limits_;  // earlier limits of the code do not count any more
    if (const auto refused = merge_code(limits_, code))
        add(out, NotifyUser{*refused + "; the program's value is used"});
    code_ = options;
}

void ResizeRequests::on_resize(const NextStep& asked, const RequestContext& now,
                               RequestEffects& out) {
    const auto& request = asked.request;
    if (const auto why = refuse_now(asked, now, limits_)) return add(out, refusal(asked, *why));
    if (request.replace && queue_.awaiting()) {
        stop_awaiting(ReplyKind::rolled_back, "replaced by another request", out);
        return add(out, TakeUp{asked});  // with the hosts of that moment
    }
    if (is_quiet(now, queue_)) return decide(asked, now, out);
    if (request.dry_run) return add(out, refusal(asked, "a resize is pending"));
    if (queue_.is_full()) return add(out, refusal(asked, "too many resizes are waiting"));
    const bool replaces = now.open != nullptr && request.replace && !now.open->is_undoing();
    if (replaces)
        queue_.push_front(asked);  // before all others that wait
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
        return add(out, Answer{asked.askers, {ReplyKind::done, with_reason(done->why)}});
    const auto& planned = std::get<PlannedResize>(answer);
    if (const auto why =
            refuse_for_children(now.groups, now.job.layout, planned.after, now.hosts.all))
        return add(out, refusal(asked, *why));
    if (request.dry_run) return add(out, Answer{asked.askers, {ReplyKind::done, planned.table}});
    add(out, Accept{asked, planned});
}

bool ResizeRequests::start_next(const RequestContext& now, RequestEffects& out) {
    if (now.life != Life::running || !is_quiet(now, queue_)) return false;
    const auto before = out.size();
    // First the job leaves the hosts that are taken back. Otherwise the next resize is called off
    // because of them.
    leave_revoked_hosts(now, out);
    if (out.size() > before) return true;
    const auto next = queue_.pop();
    if (!next) return false;
    on_resize(*next, now, out);
    const bool is_taken_up = std::ranges::any_of(out, [](const RequestEffect& effect) {
        return std::holds_alternative<Accept>(effect) ||
               std::holds_alternative<AskForHosts>(effect);
    });
    // The request is answered, so the next broker must not take it up.
    if (!is_taken_up) add(out, RecordStep{"a request that waited is answered"});
    return true;
}

void ResizeRequests::renew_if_degraded(const RequestContext& now, RequestEffects& out) {
    const bool quiet = now.life == Life::running && is_quiet(now, queue_);
    if (!queue_.renewal_is_due(quiet, is_degraded(now), Clock::now())) return;
    add(out, NotifyUser{"the job is degraded: its ranks are replaced"});
    ResizeRequest request;
    request.goal = Renewal{};
    on_resize({request, {JobsUser{"the ranks are not replaced: "}}}, now, out);
}

std::optional<Clock::time_point> renewal_at(const RequestQueue& queue, const RequestContext& now) {
    return queue.renewal_at(now.life == Life::running && is_quiet(now, queue), is_degraded(now));
}

void ResizeRequests::stop_awaiting(ReplyKind kind, const std::string& why, RequestEffects& out) {
    const auto awaiting = queue_.take_awaiting();
    if (!awaiting) return;
    add(out, WithdrawHosts{awaiting->id});
    add(out, Answer{awaiting->asked.askers, {kind, why}});
}

void ResizeRequests::drop_all(ReplyKind kind, const std::string& text, RequestEffects& out) {
    stop_awaiting(kind, text, out);
    while (const auto one = queue_.pop()) add(out, Answer{one->askers, {kind, text}});
}

// When the parked ranks are back, the request is taken up again before all others that wait.
NextStep ResizeRequests::next_step(const ResizeRequest& request, core::TransactionId begun_as,
                                   const Askers& askers) {
    auto rest = request;
    rest.reclaim.clear();  // the first part has done this
    return {rest, later(request, askers), begun_as};
}

void ResizeRequests::ask_again(NextStep asked, const resize::ResizePlan& plan, Askers waiting) {
    for (auto& asker : waiting)
        if (auto* command = std::get_if<AskingCommand>(&asker)) command->was_accepted = true;
    if (!waiting.empty()) asked.request.wait = true;
    asked.askers = std::move(waiting);
    if (asked.askers.empty()) asked.askers = {JobsUser{"the resize ends here: "}};
    asked.continues = plan.asked_as;
    asked.no_more_hosts.clear();
    for (const auto& group : plan.added)
        for (const auto& share : group.shares()) asked.keeps.insert(share.host);
    queue_.push_front(std::move(asked));
}

// The askers have lost their connection to the former broker, or have had their last answer.
void ResizeRequests::restore(const Snapshot& known, RequestEffects& out) {
    const auto again = [](const auto& one) {
        NextStep step{one.request, later(one.request, {}), one.continues};
        step.only_at_once = one.only_at_once;
        return step;
    };
    if (const auto& one = known.awaiting)
        queue_.await({again(*one), one->id, one->hosts, one->aim});
    if (known.stage != Stage::running || known.waiting.empty()) return;
    for (const auto& one : known.waiting) static_cast<void>(queue_.push(again(one)));
    const bool is_one = known.waiting.size() == 1;
    add(out,
        NotifyUser{fmt::format("{} that waited for {} turn {} carried on",
                               core::counted(static_cast<int>(known.waiting.size()), "request"),
                               is_one ? "its" : "their", is_one ? "is" : "are")});
}

}  // namespace ductile::broker
