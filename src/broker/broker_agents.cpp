// Handles the messages of agents and ranks, and their ends.
#include <fmt/format.h>

#include <filesystem>

#include "broker/broker.hpp"
#include "broker/resize_request_wire.hpp"
#include "core/host_share.hpp"
#include "ductile/error.hpp"
#include "rms/hosts_file.hpp"

namespace ductile::broker {

namespace {

using namespace std::chrono_literals;

constexpr auto suspect_for = 300ms;

resize::SwitchReport report_of(const wire::SwitchDone& done) {
    return {done.committed,
            done.degraded,
            done.unfinished,
            done.why,
            {done.stall_s, done.vote_s, done.join_s, done.redistribute_s, done.commit_s,
             done.rebuild_s},
            {done.bytes_sent, done.bytes_sent_ahead, done.peak_bytes},
            done.redistribution};
}

/// The info key `hostfile` becomes the key `hosts`, with the hosts of this file. As with mpiexec,
/// the path is one on this host, from the directory of the job. Throws InputError for a file that
/// cannot be read.
wire::SpawnAsked with_hosts_files(wire::SpawnAsked asked, const std::filesystem::path& directory) {
    for (auto& command : asked.commands)
        for (auto& [key, value] : command.info) {
            if (key != "hostfile") continue;
            const auto path = directory / value;
            std::error_code error;
            if (!std::filesystem::is_regular_file(path, error))
                throw InputError("info key hostfile: " + path.string() + " is no file");
            key = "hosts";
            value.clear();
            for (const auto& host : rms::read_hosts_file(path).hosts)
                value += (value.empty() ? "" : ",") +
                         core::to_string(core::HostShare{host.name, host.slots});
        }
    return asked;
}

}  // namespace

// ---- agents ----

void Broker::on_agent_up(HostIndex host) {
    if (life_.recovery() != nullptr) hosts_.agents().send(host, wire::QueryInventory{});
    GroupEffects effects;
    groups_.on_host_up(host, hosts_of(hosts_), effects);
    carry_out(effects);
    // Hosts of members learn the coordinator when their ranks become members.
    if (life_.is<life::Running>() && groups_.table().has_children_on(host))
        hosts_.announce_coordinator(ledger_.leader_host(), ledger_.layout().hosts());
    if (life_.is<life::Ending>())
        hosts_.agents().send(host, wire::EndJob{life_.why().substr(0, wire::limits::text_bytes)});
}

void Broker::on_agent_lost(HostIndex host, const std::string& why) {
    if (auto* recovery = life_.recovery()) {
        recovery->lost(host, true);
        return recovery->defer(deferred::AgentLost{host, why});
    }
    const auto not_left = why_not_left(host, hosts_.table().state(), request_context(parts()));
    GroupEffects effects;
    const auto loss = groups_.on_host_lost(host, group_context(parts()), effects);
    carry_out(effects);
    const std::string text = "host " + hosts_.name(host) + " is lost: " + why;
    history_.event("host_lost", {{"host", hosts_.name(host)}, {"why", why}});
    journal("a host is lost");
    if (life_.is<life::Ending>()) return;
    if (loss == JobGroups::Loss::members)
        end_job(code_lost, text + not_left + "; the job is ended");
    else if (loss == JobGroups::Loss::newcomers)
        resize_.tell(resize::NewcomerLost{text, code_lost});
    else if (resize_.is_resizing() && resize_->operation.may_be_called_off() && resize_.needs(host))
        call_off_and_ask_again(text);  // the resize has no process on this host yet
}

void Broker::on_agent_gone(HostIndex host) {
    if (auto* recovery = life_.recovery()) {
        recovery->lost(host, false);
        return recovery->defer(deferred::AgentGone{host});
    }
    journal("a host is free");
    history_.event("host_free", {{"host", hosts_.name(host)}});
}

void Broker::on_agent_message(HostIndex host, const wire::FromAgent& message) {
    if (life_.recovery() != nullptr && hear_while_recovering(host, message)) return;
    GroupEffects effects;
    std::visit(
        wire::Overloaded{
            [&](const wire::FromRanks& m) {
                if (groups_.table().find(core::Process{m.group, m.rank}) == nullptr)
                    return;  // the group is over
                on_rank_message({m.group, m.rank}, m.message);
            },
            [&](const wire::RankEnded& m) { on_rank_ended(m); },
            [&](const wire::RunEnded& m) {
                groups_.on_part_ended(host, m, group_context(parts()), effects);
            },
            [&](const wire::Expecting& m) {
                resize_.tell(resize::HostPrepared{host, m.group});
            },
            [&](const wire::ProxyWanted& m) {
                if (!life_.is<life::Ending>())
                    groups_.on_proxy_wanted(host, m, hosts_of(hosts_).up, effects);
            },
            [&](const wire::BarrierReached& m) { groups_.on_pmi(host, m, effects); },
            [&](const wire::LeftBarriers& m) { groups_.on_pmi(host, m, effects); },
            [&](const wire::GateReached& m) { groups_.on_pmi(host, m, effects); },
            [&](const wire::GateLost& m) { groups_.on_pmi(host, m, effects); },
            [&](const wire::NameAsked& m) { groups_.on_pmi(host, m, effects); },
            [&](const wire::SpawnAsked& m) {
                try {
                    groups_.on_spawn_asked(host, with_hosts_files(m, spec_.launch.directory),
                                           group_context(parts()), effects);
                } catch (const InputError& error) {
                    JobGroups::refuse_spawn(host, m, error.what(), effects);
                }
            },
            [&](const wire::AbortConnectorEnded& m) {
                if (resize_.is(m.transaction) && !m.ok && resize_->operation.is_helped())
                    streams_.notify_user("the abort connector for a lost newcomer failed: " +
                                         m.why);
            },
            [&](const wire::HostPower& m) {
                auto& costs = history_.point_costs();
                m.why_not.empty() ? costs.drawn(host, m.watts) : costs.not_drawn(host, m.why_not);
            },
            [&](const wire::Notice& m) { streams_.notify_user(hosts_.name(host) + ": " + m.text); },
            [](const auto&) {},
        },
        message);
    carry_out(effects);
}

// ---- ranks ----

void Broker::on_rank_message(const core::Process& process, const wire::FromRank& message) {
    const auto tell_of = [this](core::TransactionId id, const auto& event) {
        if (resize_.is(id)) resize_.tell(event);
    };
    std::visit(
        wire::Overloaded{
            [&](const wire::RankHello&) {
                groups_.on_rank_event(process, RankEvent::hello);
                resize_.tell(resize::RankUp{process});
            },
            [&](const wire::Ready& m) {
                resize_.tell(resize::GroupReady{process.group, m.ranks, m.rounds, m.ports});
            },
            [&](const wire::RoundDone& m) {
                resize_.tell(resize::RoundDone{process.group, m.round});
            },
            [&](const wire::Formed&) { resize_.tell(resize::Formed{process}); },
            [&](const wire::BridgePort& m) {
                tell_of(m.transaction, resize::PortOpened{process, m.port});
            },
            [&](const wire::ConnectStarting& m) {
                tell_of(m.transaction, resize::ConnectStarting{process});
            },
            [&](const wire::ReadyToMerge& m) {
                tell_of(m.transaction, resize::ReadyToMerge{process});
            },
            [&](const wire::Bridged& m) {
                tell_of(m.transaction, resize::Bridged{process, m.ok, m.why, m.degraded});
            },
            [&](const wire::SourceJoined& m) {
                tell_of(m.transaction, resize::SourceJoined{process, m.ok, m.why, m.degraded});
            },
            [&](const wire::Spawned& m) {
                tell_of(m.transaction,
                        resize::SpawnReturned{process, m.group, m.ok, m.why, m.spawn_s});
            },
            [&](const wire::Preparing& m) {
                tell_of(m.transaction,
                        resize::Progressed{
                            process, m.on ? resize::Work::prepares : resize::Work::has_prepared});
            },
            [&](const wire::PointAnswer& m) {
                tell_of(m.transaction,
                        resize::PointAnswered{process, m.attempt, m.count, m.finished});
            },
            [&](const wire::Arrived& m) { tell_of(m.transaction, resize::Arrived{process}); },
            [&](const wire::Committed& m) {
                tell_of(m.transaction, resize::Progressed{process, resize::Work::commits});
            },
            [&](const wire::Progress& m) {
                tell_of(m.transaction, resize::Progressed{process, resize::Work::step});
            },
            [&](const wire::ProgramMoves& m) {
                tell_of(m.transaction, resize::Progressed{process, m.on ? resize::Work::moves
                                                                        : resize::Work::has_moved});
            },
            [&](const wire::SwitchFailed& m) {
                tell_of(m.transaction, resize::RankFailed{process, m.why});
            },
            [&](const wire::SwitchDone& m) {
                tell_of(m.transaction, resize::SwitchDone{process, report_of(m)});
            },
            [&](const wire::Pace& m) { history_.pace(m.count, m.time_s, ledger_.layout().size()); },
            [&](const wire::UsefulTime& m) {
                if (!suspension_.was_in_the_last(std::chrono::duration<double>(m.elapsed_s)))
                    history_.efficiency().measured(process, m.elapsed_s, m.useful_s);
            },
            [&](const wire::CodeOptions& m) {
                RequestEffects effects;
                requests_.on_code_options(limits_from(m), effects);
                carry_out(effects);
                journal("the program has said its limits");
            },
            [&](const wire::ResizeAsked& m) {
                const auto& group = groups_.table().find(process.group)->group;
                const core::RankRange asker{process.group, group.host_of(process.rank),
                                            process.rank, 1};
                on_request(m.request, AskingRank{asker, m.number});
            },
            [](const wire::RankReport&) {},  // the recovery is over already
            [](const wire::VotesEarly&) {},  // likewise
            [](const wire::MpiRuns&) {},     // for the agent
            [](const wire::JoinedJob&) {},   // the sources report the commit
            [](const wire::Parked&) {},      // for the agent
            [&](const wire::GivesData& m) {
                groups_.on_rank_event(process,
                                      m.on ? RankEvent::gives_data : RankEvent::has_given_data);
            },
            [&](const wire::Goodbye&) {
                groups_.on_rank_event(process, RankEvent::goodbye);
                if (groups_.table().find(process.group)->role == GroupRole::member &&
                    ledger_.layout().rank_of(process))
                    on_program_ending();
            },
        },
        message);
}

// A member has ended its Job, so no rank will enter another resize point.
void Broker::on_program_ending() {
    if (life_.finish()) {
        RequestEffects dropped;
        requests_.drop_all(ReplyKind::refused, "the program has ended", dropped);
        carry_out(dropped);
    }
    if (!resize_.is_resizing()) return;
    resize_.tell(resize::ProgramEnding{groups_.table().are_done(ledger_.layout().active)});
}

// ---- ends ----

void Broker::act_on(const Verdict& verdict) {
    if (life_.is<life::Ending>()) return;
    std::visit(wire::Overloaded{
                   [](const NoFailure&) {},
                   [this](const LateFailure& found) {
                       note_failure(found.code);
                       streams_.notify_user(found.text);
                   },
                   [this](const LeaverCrashed& found) { streams_.notify_user(found.text); },
                   [this](const Suspected& found) {
                       if (!life_.failures().suspect(found)) return;
                       loop_.arm(BrokerLoop::Timer::suspicion, suspect_for, [this] {
                           if (const auto blamed = life_.failures().blame())
                               end_job(blamed->code, blamed->why);
                       });
                   },
                   [this](const JobFailed& found) { end_job(found.code, found.why); },
               },
               verdict);
}

void Broker::on_rank_ended(const wire::RankEnded& ended) {
    const core::Process process{ended.group, ended.rank};
    const auto* rank = groups_.table().find(process);
    if (rank == nullptr || rank->ended) return;
    groups_.on_rank_event(process, RankEvent::ended);
    history_.event("rank_ended", {{"group", ended.group.value},
                                  {"rank", ended.rank.value},
                                  {"code", ended.code},
                                  {"signal", ended.signal},
                                  {"goodbye", ended.goodbye}});
    if (life_.is<life::Ending>()) return;
    GroupEffects effects;
    groups_.on_rank_ended(ended, group_context(parts()), effects);
    carry_out(effects);
}

}  // namespace ductile::broker
