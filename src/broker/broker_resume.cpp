// How a broker takes over the job of a broker that died (docs/commands/run.md, --resume).
#include <fmt/format.h>

#include <algorithm>

#include "broker/broker.hpp"

namespace ductile::broker {

namespace {

using namespace std::chrono_literals;

constexpr auto settle_within = 60s;
constexpr const char* died_in_start =
    "the job's broker died before the job had started: start the job again";

/// Whether ranks of the job may be on this host. Newcomers of a resize do not count as long as the
/// program was not told of a point.
bool needs_agent(const Snapshot& known, HostIndex host) {
    const bool may_have_joined =
        known.stage == Stage::starting || (known.open && known.open->may_have_switched());
    return std::ranges::any_of(known.groups, [&](const KnownGroup& one) {
        const bool counts = one.role == GroupRole::member || one.role == GroupRole::child;
        return (counts || may_have_joined) && one.group.ranks_on(host) > 0;
    });
}

/// Whether all ranks of a job that was starting may have been started.
bool may_be_started(const Snapshot& known, const mpi::Capabilities& mpi) {
    if (!mpi.agents_start_ranks || !known.open) return false;
    const auto has_agent = [&](const core::Share& share) {
        return std::ranges::find(known.agents, share.host, &KnownAgent::host) != known.agents.end();
    };
    return std::ranges::all_of(known.open->plan().added, [&](const core::Group& group) {
        return std::ranges::all_of(group.shares(), has_agent);
    });
}

// Tells ranks that they are members, and that there is a vote. The former broker may have died
// before it had told all ranks. Ranks that know this already ignore the messages.
void tell_again(const RecoverySession& recovery, HostIndex host, JobHosts& hosts) {
    if (recovery.known().stage == Stage::starting) return;
    auto ranks = recovery.known().layout.active;
    std::erase_if(ranks, [&](const auto& range) { return range.host != host; });
    if (ranks.empty()) return;
    hosts.send_to(ranks, wire::Commit{core::TransactionId{0}, 0,
                                      wire::LayoutFields(recovery.known().layout)});
    if (recovery.votes_early()) hosts.send_to(ranks, wire::CallToVote{recovery.open()->id});
}

}  // namespace

// This broker has decided nothing yet. When it exits, agents and ranks notice that they have lost
// their broker again.
void Broker::refuse_takeover(const std::string& why) {
    const bool is_first = life_.refuse(fmt::format(
        "job {} cannot be taken over: its journal {} is behind the job ({}), so this broker would "
        "end ranks that it does not know. Nothing was changed, and the ranks run on; to end them "
        "all, end one of them: the others follow within --orphan-limit",
        spec_.id, journal_.path(), why));
    if (is_first) loop_.stop();
}

void Broker::resume_job() {
    life_.begin();
    const auto& journal = journal_.journal();
    const auto known = journal.snapshot();
    streams_.notify_user(fmt::format("job {} is taken over; the last step of its broker was: {}",
                                     spec_.id, journal.last_step()));
    history_.event("job_resumed", {{"job", spec_.id}, {"step", journal.last_step()}});
    ledger_ = JobLedger(known);
    static_cast<void>(life_.fail(known.exit_code));
    for (auto& record : journal.resizes(JobHistory::kept_resizes))
        history_.restore(std::move(record));
    groups_.restore(known.groups);
    hosts_.agents().continue_from(known.generations);
    for (const auto& agent : known.agents)
        hosts_.agents().expect(agent.host, hosts_.name(agent.host), agent.generation,
                               needs_agent(known, agent.host));
    if (known.stage == Stage::ending)
        return end_job(code_lost, "resuming job shutdown: " + known.end_why);
    if (known.stage == Stage::starting && !may_be_started(known, spec_.mpi))
        return end_job(code_lost, died_in_start);
    life_.recover(known);
    if (known.code) {
        RequestEffects effects;
        requests_.on_code_options(*known.code, effects);
        carry_out(effects);
    }
    RequestEffects effects;
    requests_.restore(known, effects);
    carry_out(effects);
    loop_.arm(BrokerLoop::Timer::recovery, settle_within, [this] { recovery_timed_out(); });
}

// Handles the messages that the recovery needs, and defers most other messages until the outcome of
// the open resize is known. Returns false if the caller must handle the message now.
bool Broker::hear_while_recovering(HostIndex host, const wire::FromAgent& message) {
    auto& recovery = *life_.recovery();
    if (const auto* inventory = std::get_if<wire::Inventory>(&message)) {
        recovery.inventory(host, *inventory);
        if (const auto& behind = recovery.behind())
            refuse_takeover(*behind);
        else
            tell_again(recovery, host, hosts_);
        return true;
    }
    const auto* report = std::get_if<wire::FromRanks>(&message);
    if (report != nullptr && std::holds_alternative<wire::VotesEarly>(report->message)) {
        recovery.voting(std::get<wire::VotesEarly>(report->message).transaction);
        if (recovery.votes_early())
            hosts_.send_to(recovery.open()->before.active, wire::CallToVote{recovery.open()->id});
        return true;
    }
    if (report != nullptr && std::holds_alternative<wire::RankReport>(report->message)) {
        recovery.report(report->group, report->rank, std::get<wire::RankReport>(report->message));
        return true;
    }
    // The recovery waits for ranks inside MPI_Comm_spawn, and these ranks wait for their proxies.
    if (std::holds_alternative<wire::ProxyWanted>(message)) return false;
    if (const auto* spawn = std::get_if<wire::SpawnAsked>(&message)) {
        hosts_.agents().send(host, wire::SpawnAnswer{spawn->group, spawn->rank, false});
        return true;
    }
    recovery.defer(deferred::AgentMessage{host, message});
    if (const auto* ended = std::get_if<wire::RankEnded>(&message))
        recovery.ended(ended->group, ended->rank);
    if (report != nullptr && std::holds_alternative<wire::Goodbye>(report->message))
        recovery.ended(report->group, report->rank);
    return true;
}

void Broker::recovery_timed_out() {
    const auto* recovery = life_.recovery();
    if (recovery == nullptr) return;
    if (recovery->is_decided()) return settle_recovery();
    std::string who;
    for (const auto host : recovery->silent_hosts())
        who += (who.empty() ? "host " : ", host ") + hosts_.name(host);
    for (const auto& [group, rank] : recovery->silent_ranks())
        who += fmt::format("{}rank g{}.{}", who.empty() ? "" : ", ", group.value, rank.value);
    end_job(code_lost, "the job could not be taken over within 60 s: no word from " + who +
                           "; the job is ended");
}

void Broker::settle_recovery() {
    auto found = life_.settle();
    loop_.disarm(BrokerLoop::Timer::recovery);
    const auto& known = found.known();
    const bool starting = life_.is<life::Starting>();
    if (starting && !found.is_plain_and_started()) {
        hosts_.taken_over(found.lost_hosts());
        return end_job(code_lost, died_in_start);
    }
    if (known.open && (starting || !known.open->plan().starts_job())) resize_.open(*known.open);
    // Not earlier: this may write the journal, which must hold the open resize.
    hosts_.taken_over(found.lost_hosts());
    GroupEffects effects;
    groups_.recover(found, effects);
    carry_out(effects);
    if (found.degraded()) ledger_.set_health(std::max(ledger_.health(), Health::helper));
    if (known.next) {
        auto step = ResizeRequests::next_step(known.next->request, known.next->continues, {});
        step.only_at_once = known.next->only_at_once;
        if (resize_)
            resize_->next = std::move(step);
        else
            requests_.continue_with(std::move(step));
    }
    if (resize_.is_resizing()) {
        std::set<core::GroupId> alive;
        for (const auto& group : resize_->operation.plan().added)
            if (groups_.table().find(group.id) != nullptr) alive.insert(group.id);
        resize_.tell(resize::TakenOver{found.committed(), found.accepting(), std::move(alive)});
    }
    journal("taken over");
    if (!ledger_.layout().empty() && !starting)
        hosts_.announce_coordinator(ledger_.leader_host(), ledger_.layout().hosts());
    for (const auto& [host, inventory] : found.inventories()) {
        for (const auto& end : ends_in(inventory)) on_agent_message(host, end);
        if (life_.is<life::Running>() && groups_.table().any_goodbye(ledger_.layout().active))
            on_program_ending();
    }
    for (const auto& event : found.take_deferred())
        std::visit(
            wire::Overloaded{
                [this](const deferred::AgentLost& e) { on_agent_lost(e.host, e.why); },
                [this](const deferred::AgentGone& e) { on_agent_gone(e.host); },
                [this](const deferred::AgentMessage& e) { on_agent_message(e.host, e.message); },
                [this](const deferred::Awaited& e) { on_await(e.resize, e.asker); },
            },
            event);
}

}  // namespace ductile::broker
