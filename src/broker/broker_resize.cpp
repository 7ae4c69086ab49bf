// Carries out the effects of the open resize.
#include <fmt/format.h>

#include <algorithm>

#include "broker/broker.hpp"
#include "core/counted.hpp"
#include "wire/psk.hpp"

namespace ductile::broker {

void Broker::open_resize(resize::ResizePlan plan) {
    plan.secret = wire::to_hex(wire::make_secret());
    plan.times.limits = spec_.switch_limits;
    for (const auto& group : plan.added)
        for (const auto& share : group.shares()) plan.names[share.host] = hosts_.name(share.host);
    resize_.open(resize::ResizeOperation(std::move(plan)));
}

void Broker::carry_out(const resize::Effect& effect) {
    const auto& plan = resize_->operation.plan();
    auto& agents = hosts_.agents();
    const RankDirectory directory{
        ledger_.layout(),
        [this](core::GroupId group) {
            const auto* state = groups_.table().find(group);
            return state == nullptr ? std::vector<core::RankRange>{} : state->group.ranges();
        },
        [this](core::GroupId group) {
            const auto* state = groups_.table().find(group);
            return state == nullptr ? std::string() : spawn_hosts(state->group, spec_.mpi);
        },
        spec_.mpi.spawn_hosts == mpi::SpawnHosts::by_entry, history_.costs().moves};
    for (const auto& order : orders_for(effect, plan, directory))
        hosts_.send_to(order.to, order.message);
    std::visit(wire::Overloaded{
                   [&](const resize::Record& e) {
                       const auto why = journal(e.step);
                       if (!e.required) return;
                       if (why)
                           resize_.tell_first(resize::NotRecorded{*why});
                       else
                           resize_.tell_first(resize::Recorded{});
                   },
                   [&](const resize::UseGroups&) {
                       ledger_.use_groups(static_cast<int>(plan.added.size()));
                   },
                   [&](const resize::StartGroups&) { start_newcomers(); },
                   [&](const resize::KillGroup& e) {
                       GroupEffects effects;
                       groups_.kill(e, effects);
                       carry_out(effects);
                   },
                   [&](const resize::ReleaseGroup& e) {
                       GroupEffects effects;
                       groups_.release(e, effects);
                       carry_out(effects);
                   },
                   [&](const resize::AnswerSpawn& e) {
                       agents.send(e.host, wire::SpawnAnswer{e.caller.group, e.caller.rank, e.ok});
                   },
                   [&](const resize::ConnectAndAbort& e) {
                       agents.send(e.host.value_or(ledger_.leader_host()),
                                   wire::RunAbortConnector{plan.id, e.port, plan.secret});
                   },
                   [&](const resize::Commit& e) { commit_layout(e.point); },
                   [&](const resize::ArmTimer& e) { resize_->arm(e); },
                   [&](const resize::DisarmTimer& e) { resize_->disarm(e.timer); },
                   [&](const resize::Mark& e) { resize_->mark(e.what); },
                   [&](const resize::AnswerEarly& e) {
                       answer(
                           resize_->take_askers(),
                           {ReplyKind::rolled_back, rolled_back_text(plan.before.size(), e.why)});
                   },
                   [&](const resize::Finished& e) { finish_resize(e); },
                   [&](const resize::EndJob& e) { end_job(e.code, e.why); },
                   [](const auto&) {},  // the messages to ranks above are enough
               },
               effect);
}

void Broker::commit_layout(std::int64_t point) {
    const auto plan = resize_->operation.plan();
    const auto before = ledger_.layout();
    ledger_.commit(plan);
    if (plan.starts_job()) return begin_job();
    groups_.make_members(core::Layout::of(plan.added).groups());
    journal("the resize is committed");
    // Newcomers are told by their agents as well as over the bridge.
    hosts_.send_to(core::Layout::of(plan.added).active,
                   wire::Commit{plan.id, point, wire::LayoutFields(ledger_.layout())});
    std::map<HostIndex, std::vector<wire::RangeFields>> leaving;
    for (const auto& range : plan.change().leaving)
        leaving[range.host].push_back(wire::RangeFields{range});
    for (auto& [host, ranges] : leaving)
        hosts_.agents().send(host, wire::RanksLeave{std::move(ranges)});
    const auto reader = ledger_.leader();
    // This message is sent even if the input has ended, because the new reader waits for it.
    if (!before.empty() && before.at(core::Rank{0}) != reader)
        hosts_.agents().send(ledger_.leader_host(),
                             wire::GiveInput{reader.group, reader.rank, !streams_.has_input()});
    hosts_.announce_coordinator(ledger_.leader_host(), ledger_.layout().hosts());
    streams_.pull_input();
}

void Broker::finish_resize(const resize::Finished& finished) {
    if (life_.failures().is_suspecting()) return;  // the job is about to end, and reports why
    auto done = resize_.take();
    const auto& plan = done.operation.plan();
    if (plan.starts_job()) {
        if (finished.committed) return;
        const auto why = "cannot start the job: " + finished.why;
        if (!life_.has_begun()) throw SystemError(why);
        return end_job(code_lost, why);
    }
    ledger_.set_health(done.operation.health_after(ledger_.health()));
    if (finished.called_off) done.next.reset();
    if (finished.committed) return finish_committed(done);
    journal_.record_resize(history_.resize(done, false, finished.why, hosts_.table().allocation()));
    streams_.notify_user(fmt::format("the resize from {} to {} ranks is rolled back: {}",
                                     plan.before.size(), plan.after.size(), finished.why));
    journal("the resize is rolled back");
    answer(done.take_askers(),
           {ReplyKind::rolled_back, rolled_back_text(plan.before.size(), finished.why)});
}

void Broker::finish_committed(OpenResize& done) {
    const auto& plan = done.operation.plan();
    const auto& marks = done.marks();
    const auto& switched = done.operation.summary().switched;
    if (plan.replaces_all())
        ledger_.replace_all(static_cast<int>(plan.before.groups().size() + plan.added.size()));
    journal_.record_resize(history_.resize(done, true, "", hosts_.table().allocation()));
    std::string text = fmt::format(
        "{} -> {} on {} in {:.0f} ms, of which the program waited {:.1f} ms", plan.before.size(),
        core::counted(plan.after.size(), "rank"), core::counted(plan.after.hosts().size(), "host"),
        marks.at("done") * 1e3, switched.seconds(resize::SwitchTime::stall) * 1e3);
    if (const double rebuild_s = switched.seconds(resize::SwitchTime::rebuild); rebuild_s > 0)
        text += fmt::format(" ({:.1f} ms to rebuild)", rebuild_s * 1e3);
    std::set<HostIndex> hosts;
    for (const auto& range : plan.change().leaving) hosts.insert(range.host);
    for (const auto host : plan.after.hosts()) hosts.erase(host);
    for (const auto host : hosts)
        if (is_self(host, hosts_)) text += "; the job's broker stays on " + hosts_.name(host);
    auto askers = done.take_askers();
    if (done.next) {
        askers.clear();  // they wait for the last step
        if (life_.is<life::Running>())
            requests_.continue_with(std::move(*done.next));
        else
            answer(done.next->askers,
                   {ReplyKind::refused,
                    fmt::format("the program has ended; the job had come to {} ranks",
                                ledger_.layout().size())});
    }
    journal("the resize is done");
    if (!askers.empty())
        requests_.freed().wait(std::move(hosts), std::move(text), std::move(askers));
}

}  // namespace ductile::broker
