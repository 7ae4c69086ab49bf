// What agents and ranks say, and what it means for the job when they end.
#include "broker/broker.hpp"

namespace ductile::broker {

namespace {

using namespace std::chrono_literals;

constexpr auto suspect_for = 300ms;

resize::SwitchReport report_of(const wire::SwitchDone& done) {
    return {done.committed, done.degraded,   done.unfinished, done.why,
            done.stall_s,   done.vote_s,     done.join_s,     done.redistribute_s,
            done.commit_s,  done.bytes_sent, done.peak_bytes};
}

}  // namespace

void Broker::send_to(const std::vector<core::RankRange>& ranks, const wire::ToRank& message) {
    std::map<HostIndex, std::vector<wire::RangeFields>> by_host;
    for (const auto& range : ranks) by_host[range.host].push_back(wire::RangeFields{range});
    for (auto& [host, ranges] : by_host)
        hosts_.agents().send(host, wire::ToRanks{std::move(ranges), message});
}

// ---- agents ----

void Broker::on_agent_up(HostIndex host) {
    if (recovery_) hosts_.agents().send(host, wire::QueryInventory{});
    GroupEffects effects;
    groups_.on_host_up(host, effects);
    carry_out(effects);
    if (const auto* ending = std::get_if<Ending>(&life_))
        hosts_.agents().send(host, wire::EndJob{ending->why.substr(0, wire::limits::text_bytes)});
}

void Broker::on_agent_lost(HostIndex host, const std::string& why) {
    if (recovery_) {
        recovery_->lost(host, true);
        recovery_->defer([this, host, why] { on_agent_lost(host, why); });
        return settle_recovery_if_complete();
    }
    GroupEffects effects;
    const auto loss = groups_.on_host_lost(host, group_context(), effects);
    carry_out(effects);
    const std::string text = "host " + hosts_.name(host) + " is lost: " + why;
    history_.event("host_lost", {{"host", hosts_.name(host)}, {"why", why}});
    journal_fact("a host is lost");
    if (!is<Ending>() && loss == JobGroups::Loss::members)
        end_job(code_lost, text + "; the job is ended on all other hosts");
    else if (!is<Ending>() && loss == JobGroups::Loss::newcomers)
        tell(resize::NewcomerLost{text, code_lost});
    else if (!is<Ending>() && is_resizing() && open_->operation.may_be_called_off() &&
             open_->operation.plan().after.ranks_on(host) > 0)
        call_off_and_ask_again(text);  // before anything of it was there
}

void Broker::on_agent_gone(HostIndex host) {
    if (recovery_) {
        recovery_->lost(host, false);
        recovery_->defer([this, host] { on_agent_gone(host); });
        return settle_recovery_if_complete();
    }
    journal_fact("a host is free");
    history_.event("host_free", {{"host", hosts_.name(host)}});
}

void Broker::on_agent_message(HostIndex host, const wire::FromAgent& message) {
    if (recovery_ && hear_while_recovering(host, message)) return;
    GroupEffects effects;
    std::visit(
        wire::Overloaded{
            [&](const wire::FromRanks& m) {
                if (groups_.rank({m.group, m.rank}) == nullptr) return;  // of a group that is over
                on_rank_message({m.group, m.rank}, m.message);
            },
            [&](const wire::RankEnded& m) { on_rank_ended(m), changed(); },
            [&](const wire::RunEnded& m) { on_part_ended(host, m), changed(); },
            [&](const wire::Expecting& m) {
                tell(resize::HostPrepared{host, m.group});
            },
            [&](const wire::ProxyWanted& m) {
                if (!is<Ending>()) groups_.on_proxy_wanted(host, m, hosts_now().up, effects);
            },
            [&](const wire::BarrierReached& m) { groups_.on_pmi(host, m, effects); },
            [&](const wire::LeftBarriers& m) { groups_.on_pmi(host, m, effects); },
            [&](const wire::GateReached& m) { groups_.on_pmi(host, m, effects); },
            [&](const wire::GateLost& m) { groups_.on_pmi(host, m, effects); },
            [&](const wire::NameAsked& m) { groups_.on_pmi(host, m, effects); },
            [&](const wire::SpawnAsked& m) {
                groups_.on_spawn_asked(host, m, group_context(), effects);
            },
            [&](const wire::AbortConnectorEnded& m) {
                if (open_ && open_->operation.plan().id == m.transaction && !m.ok &&
                    open_->operation.is_helped())
                    streams_.notify_user("the abort connector for a lost newcomer failed: " +
                                         m.why);
            },
            [&](const wire::Notice& m) { streams_.notify_user(hosts_.name(host) + ": " + m.text); },
            [](const auto&) {},
        },
        message);
    carry_out(effects);
}

// ---- ranks ----

void Broker::on_rank_message(const core::Process& process, const wire::FromRank& message) {
    auto& rank = *groups_.rank(process);
    const auto tell_of = [this](core::TransactionId id, const auto& event) {
        if (open_ && open_->operation.plan().id == id) tell(event);
    };
    std::visit(
        wire::Overloaded{
            [&](const wire::RankHello&) {
                rank.hello = true;
                tell(resize::RankUp{process});
            },
            [&](const wire::Ready& m) {
                tell(resize::GroupReady{process.group, m.ranks, m.rounds, m.ports});
            },
            [&](const wire::RoundDone& m) {
                tell(resize::RoundDone{process.group, m.round});
            },
            [&](const wire::Formed&) {
                if (open_ && open_->operation.plan().adds(process.group)) tell(resize::Formed{});
            },
            [&](const wire::BridgePort& m) { tell_of(m.transaction, resize::PortOpened{m.port}); },
            [&](const wire::ConnectStarting& m) {
                if (is_newcomer(process.group)) tell_of(m.transaction, resize::ConnectStarting{});
            },
            [&](const wire::Bridged& m) {
                tell_of(m.transaction, resize::Bridged{process, m.ok, m.why, m.degraded});
            },
            [&](const wire::Spawned& m) {
                tell_of(m.transaction,
                        resize::SpawnReturned{process, m.group, m.ok, m.why, m.spawn_s});
            },
            [&](const wire::PointAnswer& m) {
                tell_of(m.transaction,
                        resize::PointAnswered{process, m.attempt, m.count, m.finished});
            },
            [&](const wire::Arrived& m) { tell_of(m.transaction, resize::Arrived{}); },
            [&](const wire::Progress& m) { tell_of(m.transaction, resize::Progressed{}); },
            [&](const wire::SwitchDone& m) {
                tell_of(m.transaction, resize::SwitchDone{process, report_of(m)});
            },
            [&](const wire::Pace& m) { history_.pace(m.count, m.time_s, ledger_.layout.size()); },
            [&](const wire::CodeOptions& m) { on_code_options(m); },
            [](const wire::RankReport&) {},  // settled already
            [](const wire::MpiRuns&) {},     // for the agent
            [](const wire::JoinedJob&) {},   // the sources have said so
            [](const wire::Parked&) {},      // for the agent
            [&](const wire::Goodbye&) {
                rank.goodbye = true;
                if (groups_.table().find(process.group)->role == GroupRole::member &&
                    ledger_.layout.rank_of(process))
                    on_program_ending();
            },
        },
        message);
}

void Broker::on_code_options(const wire::CodeOptions& options) {
    RequestEffects effects;
    requests_.on_code_options(options, effects);
    carry_out(effects);
    journal_fact("the program has said its limits");
}

// A member has ended its Job, so no rank will enter another resize point.
void Broker::on_program_ending() {
    if (is<Running>()) {
        life_ = Finishing{};
        drop_requests(wire::ReplyKind::refused, "the program has ended");
    }
    if (!is_resizing()) return;
    tell(resize::ProgramEnding{groups_.table().are_done(ledger_.layout.active)});
}

// ---- ends ----

void Broker::act_on(const Verdict& verdict) {
    if (is<Ending>()) return;
    std::visit(wire::Overloaded{
                   [](const NoFailure&) {},
                   [this](const LateFailure& found) {
                       note_failure(found.code);
                       streams_.notify_user(found.text);
                   },
                   [this](const Suspected& found) {
                       if (!failures_.suspect(found)) return;
                       arm(suspicion_timer_, suspect_for, [this] {
                           if (const auto blamed = failures_.blame())
                               end_job(blamed->code, blamed->why);
                       });
                   },
                   [this](const JobFailed& found) { end_job(found.code, found.why); },
               },
               verdict);
}

void Broker::on_rank_ended(const wire::RankEnded& ended) {
    auto* rank = groups_.rank({ended.group, ended.rank});
    if (rank == nullptr || rank->ended) return;
    rank->ended = true;
    history_.event("rank_ended", {{"group", ended.group.value},
                                  {"rank", ended.rank.value},
                                  {"code", ended.code},
                                  {"signal", ended.signal},
                                  {"goodbye", ended.goodbye}});
    if (is<Ending>()) return;
    GroupEffects effects;
    groups_.on_rank_ended(ended, group_context(), effects);
    carry_out(effects);
}

void Broker::on_part_ended(HostIndex host, const wire::RunEnded& ended) {
    GroupEffects effects;
    groups_.on_part_ended(host, ended, group_context(), effects);
    carry_out(effects);
}

}  // namespace ductile::broker
