#include "agent/group_life.hpp"

#include <algorithm>
#include <utility>

#include "core/overloaded.hpp"

namespace ductile::agent {

namespace {

using namespace std::chrono_literals;

constexpr auto grace = 500ms;
constexpr auto between_looks = 50ms;
constexpr auto between_kills = 10ms;
constexpr auto launcher_patience = 2s;

}  // namespace

void GroupLife::on(const group_event::Any& event, Time now, GroupEffects& effects) {
    if (has_ended()) return;
    std::visit(
        core::Overloaded{
            [&](const group_event::OfRank& what) { on_rank(what, now, effects); },
            [&](const group_event::RanksExpected& what) {
                if (!std::holds_alternative<Running>(state_)) return;
                state_ = Expecting{};
                effects.push_back(group_effect::StartTimer{GroupTimer::start, what.until});
            },
            [&](const group_event::Joined&) {
                are_members_ = true;
                effects.push_back(group_effect::StopTimer{GroupTimer::joined});
            },
            [&](const group_event::BrokerLost& what) {
                brokerless_ = true;
                // A switch in progress may still make the newcomers members.
                if (!are_members_)
                    effects.push_back(
                        group_effect::StartTimer{GroupTimer::joined, what.newcomers_until});
                consider(now, effects);
            },
            [&](const group_event::BrokerBack&) {
                brokerless_ = false;
                effects.push_back(group_effect::StopTimer{GroupTimer::joined});
            },
            [&](const group_event::LeaveOrdered& what) { on_leave(what, effects); },
            [&](const group_event::EndOrdered&) { on_end_order(now, effects); },
            [&](const group_event::KillOrdered&) { kill(GroupCause::none, effects); },
            [&](const group_event::LauncherChanged& what) { on_launcher(what.now, now, effects); },
            [&](const group_event::TimerFired& what) { on_timer(what.which, now, effects); },
            [&](const group_event::Looked& what) { on_looked(what.something_left, now, effects); },
        },
        event);
}

void GroupLife::on_rank(const group_event::OfRank& event, Time now, GroupEffects& effects) {
    auto& rank = ranks_.at(event.place);
    const bool was_expected = rank.is_expected(), was_running = rank.is_running();
    rank.on(event.what);
    if (was_expected && rank.is_running()) effects.push_back(group_effect::ServeStart{event.place});
    if (was_expected && std::holds_alternative<Expecting>(state_) &&
        std::ranges::none_of(ranks_, &RankLife::is_expected)) {
        state_ = Running{};
        effects.push_back(group_effect::StopTimer{GroupTimer::start});
    }
    if (!rank.has_ended() || (!was_expected && !was_running)) return;
    effects.push_back(group_effect::KillRank{event.place});
    if (was_running) effects.push_back(group_effect::ServeEnd{event.place});
    effects.push_back(group_effect::ReportRankEnd{event.place});
    consider(now, effects);
    if (launcher_.process == LauncherState::Process::ended) look_if_due(effects);
}

void GroupLife::on_leave(const group_event::LeaveOrdered& event, GroupEffects& effects) {
    for (const auto place : event.places) {
        auto& rank = ranks_.at(place);
        if (rank.is_dismissed()) continue;
        rank.on(rank_event::Dismissed{event.kill_at});
        if (!rank.has_ended()) effects.push_back(group_effect::RankLeaves{place});
    }
    watch_leavers(effects);
}

void GroupLife::watch_leavers(GroupEffects& effects) const {
    std::optional<Time> next;
    for (const auto& rank : ranks_)
        if (const auto at = rank.kill_at()) next = next ? std::min(*next, *at) : *at;
    if (next) effects.push_back(group_effect::StartTimer{GroupTimer::leave, *next});
}

// If all ranks have ended or are overdue, also kills the processes that they have started, unless
// their launcher must continue.
void GroupLife::on_leave_due(Time now, GroupEffects& effects) {
    if (std::ranges::all_of(ranks_, [now](const RankLife& rank) {
            return rank.has_ended() || (rank.is_dismissed() && rank.kill_at().value_or(now) <= now);
        }))
        return kill_what_may_go(now, effects);
    for (Place place = 0; place < ranks_.size(); ++place) {
        const auto at = ranks_[place].kill_at();
        if (!at || *at > now) continue;
        ranks_[place].on(rank_event::TimeWasOver{});
        effects.push_back(group_effect::Log{"has left, but not ended: killed", place});
        effects.push_back(group_effect::KillRank{place});
    }
    watch_leavers(effects);
}

void GroupLife::on_end_order(Time now, GroupEffects& effects) {
    for (auto& rank : ranks_) rank.on(rank_event::Dismissed{});
    if (launcher_.is_part || launcher_.is_needed)
        kill_ranks(now, effects);
    else
        kill(GroupCause::none, effects);
}

void GroupLife::on_launcher(const LauncherState& launcher, Time now, GroupEffects& effects) {
    const auto before = std::exchange(launcher_, launcher).process;
    using Process = LauncherState::Process;
    if (launcher.process == Process::ended && before != Process::ended) return settle(now, effects);
    consider(now, effects);
}

void GroupLife::on_timer(GroupTimer which, Time now, GroupEffects& effects) {
    switch (which) {
        // The process that starts the ranks may never do so. Nothing else would notice this.
        case GroupTimer::start:
            if (std::holds_alternative<Expecting>(state_)) kill(GroupCause::late, effects);
            return;
        case GroupTimer::joined:
            if (are_members_ || !brokerless_) return;
            effects.push_back(
                group_effect::Log{"has only newcomers that are no members yet, and the broker of "
                                  "their resize is gone"});
            return on_end_order(now, effects);
        case GroupTimer::leave:
            return on_leave_due(now, effects);
        case GroupTimer::kill:
            return kill_what_may_go(now, effects);
        case GroupTimer::look:
            return look_if_due(effects);
    }
}

void GroupLife::on_looked(bool something_left, Time now, GroupEffects& effects) {
    if (!may_be_over()) return;
    if (!something_left && std::ranges::none_of(ranks_, &RankLife::is_running)) {
        const auto* killed = std::get_if<Killed>(&state_);
        const auto cause = killed == nullptr ? GroupCause::none : killed->cause;
        state_ = Over{};
        effects.push_back(group_effect::ReportEnd{cause});
        return;
    }
    const auto* settling = std::get_if<Settling>(&state_);
    const bool has_grace = settling != nullptr && now < settling->until;
    if (!has_grace) effects.push_back(group_effect::KillLeft{});
    effects.push_back(group_effect::StartTimer{GroupTimer::look,
                                               now + (has_grace ? between_looks : between_kills)});
}

// Handles the end of the last rank. The launcher should end soon after it. The launcher waits for
// its proxies on other hosts, and for the companion processes by which it requested the proxies
// (remote_parts.hpp). Without a broker, only this agent can let the companions end.
void GroupLife::consider(Time now, GroupEffects& effects) {
    if (launcher_.process == LauncherState::Process::none || daemon_stays()) {
        if (none_left()) settle(now, effects);
        return;
    }
    if (!std::ranges::all_of(ranks_, &RankLife::has_ended)) return;
    if (brokerless_ && launcher_.holds_companions)
        effects.push_back(group_effect::ReleaseCompanions{});
    if (launcher_.others_ended && !launcher_.is_needed) kill_after_patience(now, effects);
}

void GroupLife::settle(Time now, GroupEffects& effects) {
    if (std::holds_alternative<Settling>(state_)) return;
    if (!is_being_killed()) state_ = Settling{now + grace, takes_no_ranks()};
    look_if_due(effects);
}

void GroupLife::look_if_due(GroupEffects& effects) const {
    if (may_be_over()) effects.push_back(group_effect::Look{});
}

void GroupLife::kill(GroupCause cause, GroupEffects& effects) {
    if (is_being_killed()) return;
    const bool outlived = launcher_.process == LauncherState::Process::runs &&
                          std::ranges::all_of(ranks_, &RankLife::has_ended);
    state_ = Killed{outlived ? GroupCause::overdue : cause};
    effects.push_back(group_effect::Log{"is killed"});
    effects.push_back(group_effect::KillAll{});
    look_if_due(effects);
}

void GroupLife::kill_ranks(Time now, GroupEffects& effects) {
    if (is_being_killed()) return;
    if (auto* settling = std::get_if<Settling>(&state_))
        settling->emptied = true;
    else
        state_ = Emptied{};
    effects.push_back(group_effect::Log{"loses its ranks: they are killed"});
    effects.push_back(group_effect::NoteFiles{});
    for (Place place = 0; place < ranks_.size(); ++place)
        if (ranks_[place].is_running()) effects.push_back(group_effect::KillRank{place});
    if (launcher_.process == LauncherState::Process::none || launcher_.stays)
        look_if_due(effects);
    else if (!launcher_.is_needed)
        kill_after_patience(now, effects);
}

void GroupLife::kill_what_may_go(Time now, GroupEffects& effects) {
    if (launcher_.is_needed || daemon_stays() || (launcher_.is_part && !takes_no_ranks()))
        kill_ranks(now, effects);
    else
        kill(GroupCause::none, effects);
}

void GroupLife::kill_after_patience(Time now, GroupEffects& effects) {
    const auto until = now + launcher_patience;
    if (kill_at_ && *kill_at_ > now && *kill_at_ < until) return;
    kill_at_ = until;
    effects.push_back(group_effect::StartTimer{GroupTimer::kill, until});
}

bool GroupLife::takes_no_ranks() const {
    const auto* settling = std::get_if<Settling>(&state_);
    return std::holds_alternative<Emptied>(state_) || is_being_killed() ||
           (settling != nullptr && settling->emptied);
}

// If no more ranks may start, ranks that have not started do not count.
bool GroupLife::none_left() const {
    const bool closed = takes_no_ranks();
    return std::ranges::all_of(ranks_, [closed](const RankLife& rank) {
        return rank.has_ended() || (closed && rank.is_expected());
    });
}

bool GroupLife::may_be_over() const {
    if (has_ended()) return false;
    switch (launcher_.process) {
        case LauncherState::Process::ended:
            return true;
        case LauncherState::Process::none:
            return none_left();
        case LauncherState::Process::runs:
            return daemon_stays() && none_left();
    }
    return false;
}

bool has_failed(const GroupLife& group) {
    return std::ranges::any_of(group.ranks(), &RankLife::has_failed);
}

bool has_active(const GroupLife& group) {
    return !group.has_ended() && std::ranges::any_of(group.ranks(), &RankLife::is_active);
}

bool spawns(const GroupLife& group) {
    return group.are_members() && std::ranges::any_of(group.ranks(), &RankLife::spawns);
}

}  // namespace ductile::agent
