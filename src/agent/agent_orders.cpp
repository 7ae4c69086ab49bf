// What the broker orders, and what it is told.
#include <algorithm>

#include "agent/agent.hpp"
#include "agent/group_environment.hpp"
#include "agent/launcher_group.hpp"
#include "agent/served_group.hpp"
#include "rms/self.hpp"

namespace ductile::agent {

void Agent::on_order(const wire::ToAgent& order) {
    const auto for_served = [this](const auto& what) {
        if (const auto run = groups_.find<ServedGroup>(what.group)) run->pmi().on(what);
    };
    std::visit(
        wire::Overloaded{
            [&](const wire::AgentWelcome& what) {
                welcome_ = what;
                broker_.set_timing(what.beat_s, what.beat_limit_s);
                peers_.set_timing(what.beat_s, what.beat_limit_s);
                orphan_.set_limit(std::chrono::duration<double>(what.orphan_limit_s));
            },
            [](const wire::Beat&) {},
            [&](const wire::StartRun& what) { start_run(what); },
            [&](const wire::StartProxy& what) { start_proxy(what); },
            [&](const wire::ProxyEnded& what) {
                if (const auto run = groups_.find<LauncherGroup>(what.group))
                    run->proxy_ended({what.starts, what.part}, what.code);
            },
            [&](const wire::KillRun& what) {
                if (const auto run = groups_.find(what.group)) run->on(group_event::EndOrdered{});
            },
            [&](const wire::ToRanks& what) {
                if (const auto* commit = std::get_if<wire::Commit>(&what.message))
                    note_commit(commit->transaction);
                for (const auto& range : what.ranks)
                    if (const auto run = groups_.find(range.group))
                        run->send(places_in(*run, range), what.message);
            },
            [&](const wire::RunStandIn& what) { run_stand_in(what); },
            [&](const wire::RanksLeave& what) {
                const std::chrono::duration<double> within(welcome_ ? welcome_->leave_within_s : 0);
                const auto kill_at = std::chrono::steady_clock::now() +
                                     std::chrono::duration_cast<Time::duration>(within);
                for (const auto& range : what.ranks)
                    if (const auto run = groups_.find(range.group))
                        run->on(group_event::LeaveOrdered{places_in(*run, range), kill_at});
            },
            [&](const wire::GiveInput& what) {
                const auto run = groups_.find(what.group);
                if (!run || !run->give_input(what.rank)) input_.finish();
            },
            [&](const wire::FinishAgent&) {
                finish_asked_ = true;
                consider();
            },
            [&](const wire::EndJob& what) { end_all(what.why, 0); },
            [&](const wire::SignalRanks& what) {
                for (const auto& run : groups_.running()) run->signal_ranks(what.signal);
            },
            [&](const wire::Deputy& what) { peers_.set_deputy(what); },
            [&](const wire::TakeStock&) { take_stock(); },
            [&](const wire::StartRanks& what) { start_ranks(what); },
            [&](const wire::BarrierReleased& what) { for_served(what); },
            [&](const wire::OpenGate& what) { for_served(what); },
            [&](const wire::NameAnswer& what) { for_served(what); },
            [&](const wire::SpawnAnswer& what) { for_served(what); },
        },
        order);
}

// Ranks of a broker that came back before its loss was noticed here hear of both all the same. The
// lost one may not have taken what was said last.
void Agent::take_stock() {
    input_.finish();
    wire::Stock stock;
    stock.committed = committed_;
    for (const auto& run : groups_.all()) stock.groups.push_back(stock_of(*run));
    for (const auto& run : groups_.running()) {
        run->send(all_places(*run), wire::BrokerLost{});
        run->send(all_places(*run), wire::BrokerBack{});
    }
    tell(stock);
    for (const auto& run : groups_.running()) run->tell_again();
}

void Agent::start_run(const wire::StartRun& what) {
    const auto name = "group " + std::to_string(what.group.value);
    if (groups_.had(what.group))
        return tell(wire::Notice{"order refused: " + name + " has been started here before"});
    std::string why;
    if (directory_.is_removed())
        why = "somebody has removed the agent's directory " + directory_.path() +
              ", where its ranks would find it";
    else if (!welcome_)
        why = "no welcome came before the order to start " + name;
    else if (ending_ || finishing_)
        why = "the agent is ending";
    if (why.empty()) {
        try {
            std::shared_ptr<GroupRun> run;
            if (std::holds_alternative<wire::ServedWorld>(what.manager))
                run = std::make_shared<ServedGroup>(context_, what);
            else
                run = std::make_shared<LauncherGroup>(context_, what);
            run->start(*welcome_);
            groups_.add(std::move(run));
            if (what.spawned) tell(wire::Expecting{what.group});
            return log_(name + " started");
        } catch (const Error& error) {
            why = error.what();
        }
    }
    tell(wire::RunEnded{what.group, 127, 0, why});
}

// A proxy that cannot be started ends its part of the group: mpiexec waits for it in vain.
void Agent::start_proxy(const wire::StartProxy& what) {
    const auto run = groups_.find<LauncherGroup>(what.group);
    // Over before mpiexec's wish came here, or asked for again after its broker was lost.
    if (!run || !run->awaits_order()) return;
    try {
        if (!welcome_) throw UsageError("no welcome came before the order to start a proxy");
        run->start_proxy(*welcome_, what.argv);
        log_("proxy of group " + std::to_string(what.group.value) + " started");
    } catch (const Error& error) {
        tell(wire::Notice{error.what()});
        run->on(group_event::KillOrdered{});
    }
}

void Agent::start_ranks(const wire::StartRanks& what) {
    const auto run = groups_.find<ServedGroup>(what.group);
    if (!run) return;  // over before its spawn came here
    try {
        if (!welcome_) throw UsageError("no welcome came before the order to start ranks");
        run->start_ranks(*welcome_, what);
        log_("ranks of group " + std::to_string(what.group.value) + " started");
    } catch (const Error& error) {
        tell(wire::Notice{error.what()});
        run->on(group_event::KillOrdered{});
    }
}

void Agent::run_stand_in(const wire::RunStandIn& what) {
    try {
        if (!welcome_) throw UsageError("no welcome came before the order to run a stand-in");
        auto stand_in = StandIn::start(
            io_, rms::companion("stand-in"), what,
            group_environment(welcome_->environment, {"DUCTILE_AGENT=" + context_.self.marker}),
            stale_files_.record());
        groups_.add(std::move(stand_in));
    } catch (const Error& error) {
        tell(wire::StandInEnded{what.transaction, false, error.what()});
    }
}

void Agent::note_commit(core::TransactionId transaction) {
    committed_ = std::max(committed_, transaction);
}

void Agent::tell(const wire::FromAgent& message) {
    broker_.send(message);
    if (const auto* said = std::get_if<wire::FromRanks>(&message)) {
        if (std::holds_alternative<wire::Goodbye>(said->message) ||
            std::holds_alternative<wire::Parked>(said->message))
            groups_.wake_parked();
        if (std::holds_alternative<wire::Spawned>(said->message)) watch_orphan();
        const auto* done = std::get_if<wire::SwitchDone>(&said->message);
        if (done != nullptr && done->committed) note_commit(done->transaction);
        if (const auto* standing = std::get_if<wire::Standing>(&said->message))
            note_commit(standing->transaction);
    }
    const auto* end = std::get_if<wire::RankEnded>(&message);
    if (end == nullptr) return;
    groups_.wake_parked();
    if (!end->goodbye && !ending_) last_failure_ = *end;
    consider();
}

}  // namespace ductile::agent
