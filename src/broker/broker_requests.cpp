// Handles the requests of users to a running job.
#include <fmt/format.h>

#include "broker/broker.hpp"
#include "broker/job_status_json.hpp"
#include "broker/requested_hosts.hpp"
#include "broker/resize_request_wire.hpp"

namespace ductile::broker {

void Broker::on_request(const wire::Request& request, const Asker& asker) {
    std::visit(
        wire::Overloaded{
            [&](const wire::ResizeRequest& r) {
                const auto asked = request_from(r, [this](std::string_view name) {
                    return host_named(name, hosts_.table().allocation()).has_value();
                });
                if (!asked)
                    return answer({asker}, {ReplyKind::refused, "the size must be at least 1"});
                decide(&ResizeRequests::on_resize, NextStep{*asked, {asker}});
            },
            [&](const wire::AwaitRequest& r) { on_await(r.transaction, asker); },
            [&](const wire::StatusRequest&) {
                answer({asker}, {ReplyKind::done, {}, status_of(parts())});
            },
            [&](const wire::CancelRequest&) { on_cancel(asker); },
            [&](const wire::EndRequest&) {
                streams_.drop_held();
                end_job(143, "ended on request");
                answer({asker}, {ReplyKind::accepted, "the job is being ended"});
            },
        },
        request);
}

void Broker::on_await(core::TransactionId resize, const Asker& asker) {
    if (auto* recovery = life_.recovery())  // it is over within a minute
        return recovery->defer(deferred::Awaited{resize, asker});
    auto* step = resize_ && resize_->next && resize_->next->continues == resize
                     ? &*resize_->next
                     : requests_.begun_as(resize);
    if (step != nullptr) {
        step->request.wait = true;
        std::erase_if(step->askers,
                      [](const Asker& one) { return std::holds_alternative<JobsUser>(one); });
        step->askers.push_back(asker);
        return;
    }
    if (resize_.is(resize) || (resize_ && resize_->operation.plan().asked_as == resize))
        return resize_->add_askers({asker});
    answer({asker},
           history_.outcome_of(resize).value_or(Reply{
               ReplyKind::refused, fmt::format("the broker knows of no resize {}", resize.value)}));
}

void Broker::suspend_policy(const std::string& why) {
    if (policy_.is_on() && !life_.is_over())
        policy_.suspend(ledger_.layout().size(), why, history_.seconds());
}

void Broker::on_cancel(const Asker& asker) {
    const auto refuse = [&](const char* why) { answer({asker}, {ReplyKind::refused, why}); };
    if (life_.is<life::Starting>())
        return refuse("the job is still starting; `ductile end` ends it");
    if (life_.recovery() != nullptr)
        return refuse("the job is being taken over; an open resize is rolled back or finished");
    if (!resize_.is_resizing() && !requests_.queue().awaiting())
        return refuse("no resize is pending");
    if (resize_.is_resizing() && resize_->operation.is_certain())
        return refuse(
            "the data of the pending resize is moving; with --memory tight the resize cannot be "
            "cancelled now");
    RequestEffects effects;
    requests_.stop_awaiting(ReplyKind::rolled_back, "cancelled", effects);
    carry_out(effects);
    if (resize_.is_resizing()) resize_.tell(resize::CallOff{"cancelled"});
    answer({asker}, {ReplyKind::accepted, "the pending resize is being cancelled"});
}

PowerProgram::Events Broker::power_events() {
    return {[this](const std::string& name, double watts) {
                for (const auto host : ledger_.layout().hosts())
                    if (hosts_.name(host) == name) history_.point_costs().drawn(host, watts);
            },
            [this](const std::string& why) {
                for (const auto host : ledger_.layout().hosts())
                    history_.point_costs().not_drawn(host, why);
            }};
}

void Broker::watch_power() {
    if (!power_) return;
    std::vector<std::string> names;
    for (const auto host : ledger_.layout().hosts()) names.push_back(hosts_.name(host));
    power_->watch(names);
}

void Broker::ask_policy() {
    watch_power();
    const auto on_seen = [this](const rms::SeenCluster& seen) {
        if (!may_policy_decide(parts())) return policy_.gives_way();
        const auto asked = policy_question(parts(), seen);
        if (const auto* none = std::get_if<NoDecision>(&asked))
            return on_policy_answer(ledger_.layout().size(), *none);
        const auto& question = std::get<PolicyQuestion>(asked);
        policy_.ask(question, loop_.heard([this, ranks = question.job.ranks](const auto& answer) {
            on_policy_answer(ranks, answer);
        }));
    };
    change_priorities(hosts_.cluster(), {policy_.no_longer_raised(history_.seconds()), {}},
                      [](const rms::RaiseAnswer&) {});
    if (policy_.rests() && may_policy_decide(parts())) {
        policy_.looks();
        if (policy_.sees_cluster())
            on_seen(hosts_.cluster().own_hosts());
        else
            hosts_.cluster().view_cluster(loop_.heard(on_seen));
    }
    ask_policy_later();
}

void Broker::ask_policy_later() {
    loop_.arm(BrokerLoop::Timer::policy, policy_.pause(), [this] { ask_policy(); });
}

void Broker::on_policy_answer(int ranks, const PolicyAnswer& answer) {
    const auto is_too_late = [this, ranks] {
        return !may_policy_decide(parts()) || ranks != ledger_.layout().size();
    };
    if (is_too_late()) return policy_.gives_way();
    if (const auto* none = std::get_if<NoDecision>(&answer))
        return policy_.cannot_decide(ranks, none->why, history_.seconds());
    const auto& wanted = std::get<policy::Decision>(answer);
    const auto change = policy_.priorities_for(wanted, history_.seconds());
    const auto resize = [this, is_too_late, ranks, wanted](const rms::RaiseAnswer& raised) {
        const auto decision = policy_.raised(wanted, raised, history_.seconds());
        if (is_too_late()) return policy_.gives_way();
        const auto step = policy_.decided(ranks, decision, history_.seconds());
        if (!step) return;
        history_.event("policy_decided", {{"policy", policy_.name()},
                                          {"from", ranks},
                                          {"to", *decision.ranks},
                                          {"why", decision.why}});
        decide(&ResizeRequests::on_resize, *step);
    };
    change_priorities(hosts_.cluster(), change, loop_.heard(resize));
}

void Broker::answer(const Askers& askers, const Reply& reply, bool last) {
    for (const auto& asker : askers)
        std::visit(wire::Overloaded{
                       [&](const AskingCommand& command) {
                           if (reply.kind == ReplyKind::accepted)
                               suspend_policy("a person has asked for a change");
                           if (last || !command.was_accepted) command.reply(reply, last);
                       },
                       [&](const AskingRank& rank) {
                           if (!last) return;  // the request is accepted; the last reply follows
                           hosts_.send_to({rank.rank},
                                          wire::ResizeAnswered{
                                              rank.number, to_wire(reply.kind),
                                              reply.text.substr(0, wire::limits::text_bytes)});
                       },
                       [&](const AskingPolicy& asked) {
                           if (!last) return;
                           policy_.answered(asked.decision, reply);
                           ask_policy_later();
                       },
                       [&](const JobsUser& user) {
                           if (reply.kind == ReplyKind::refused)
                               streams_.notify_user(user.before + reply.text);
                       },
                   },
                   asker);
}

}  // namespace ductile::broker
