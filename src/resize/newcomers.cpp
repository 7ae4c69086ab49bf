#include "resize/newcomers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/layout.hpp"

namespace ductile::resize {

namespace {

using namespace std::chrono_literals;

constexpr auto accept_within = 1s;           ///< after that it is helped
constexpr auto merge_ends_within = 5s;       ///< of who waits for newcomers in a merge
constexpr auto spawn_ends_within = 60s;      ///< of a call of MPI_Comm_spawn
constexpr auto lost_spawn_ends_within = 5s;  ///< of one whose new ranks are lost
constexpr auto answered_spawn_ends_within = 1s;

}  // namespace

Newcomers::Newcomers(const ResizePlan& plan, bool lost_before)
    : connector_(plan.added, plan.readiness), lost_(lost_before) {
    if (plan.spawns_groups())
        tracker_.emplace(plan.way.start, plan.before, plan.spawns, plan.added);
}

// ---- coming up ----

void Newcomers::start(const ResizePlan& plan, Effects& out) {
    for (const auto& group : plan.added) alive_.insert(group.id);
    out.push_back(StartGroups{});
    if (!tracker_) return;
    for (const auto& spawn : tracker_->spawns())
        if (connector_.knows(spawn.starter)) connector_.hold(spawn.starter);
}

bool Newcomers::prepared(const HostPrepared& event, Effects& out) {
    if (!tracker_) return false;
    tracker_->expecting(event.host, event.group);
    if (!tracker_->all_expecting()) return false;
    out.push_back(Mark{"looked"});
    out.push_back(Record{"ranks are to start the new groups", true});
    return true;
}

// All at once: what a process is told before it runs, its agent keeps for it.
void Newcomers::order_spawns(const ResizePlan& plan, Effects& out) {
    tracker_->begin();
    const bool merges = plan::bridge_by(plan.way.start) != plan::SpawnBridge::no;
    std::set<core::Process> starters;
    for (const auto& call : tracker_->calls()) {
        const core::Process caller{call.caller, call.rank};
        if (merges) merging_.insert(caller);
        starters.insert(caller);
        out.push_back(TellSpawn{call});
    }
    if (plan.readiness != plan::Readiness::tree) return;
    TellSharePorts order{{starters.begin(), starters.end()}, {}};
    for (const auto& process : starters)
        if (const auto rank = plan.before.rank_of(process)) order.peers.push_back(*rank);
    std::ranges::sort(order.peers);
    out.push_back(std::move(order));
}

// Where there is one new group it leads: its first rank is told where to connect before it has
// initialised MPI, and goes there as soon as it has.
void Newcomers::up(const RankUp& event, bool live, Effects& out) {
    const auto orders = connector_.hello(event.process.group);
    if (connector_.has_one_group() && event.process.rank == core::Rank{0}) {
        bridge_.offer_leader(event.process.group);
        if (live) connect_if_possible(out);
    }
    meet(orders, live, out);
}

// The leaders are joined before the leader's group meets the others, so that this costs no time of
// its own.
void Newcomers::ready(const GroupReady& event, bool live, Effects& out) {
    const auto orders = connector_.ready(event.group, event.ranks, event.rounds, event.ports);
    bridge_.offer_leader(event.group);
    if (live) connect_if_possible(out);
    meet(orders, live, out);
}

void Newcomers::round_done(const RoundDone& event, bool live, Effects& out) {
    meet(connector_.round_done(event.leading, event.round), live, out);
}

void Newcomers::meet(const std::vector<MeetOrder>& orders, bool live, Effects& out) const {
    if (!live) return;
    for (const auto& order : orders) out.push_back(TellMeet{order});
}

// ---- ranks that start others ----

void Newcomers::spawn_asked(const SpawnAsked& event, bool live, Effects& out) {
    const bool due =
        live && tracker_ && !callers_.contains(event.starts) &&
        tracker_->open().contains({event.caller.group, event.caller.rank, event.starts}) &&
        connector_.ranks_of(event.starts) == event.ranks;
    if (!due) return out.push_back(AnswerSpawn{event.host, event.caller, false});
    callers_.ask(event);
    out.push_back(ReleaseGroup{event.starts, event.keys});
}

void Newcomers::spawn_returned(const SpawnReturned& event, const ResizePlan& plan, bool live,
                               Effects& out) {
    if (!tracker_) return;
    tracker_->ended({event.caller.group, event.caller.rank, event.starts});
    callers_.returned(event.starts);
    if (connector_.knows(event.caller.group))
        meet(connector_.release(event.caller.group), live, out);
    if (event.ok) return;
    merging_.erase(event.caller);
    // Nobody is there who could start others.
    for (const auto& group : plan.added)
        for (int i = 0; group.id == event.starts && i < group.ranks; ++i)
            tracker_->gone(group.id, core::Rank{i});
}

bool Newcomers::process_ended(const core::Process& process) {
    if (!tracker_) return false;
    const bool merged = merging_.erase(process) > 0;
    return tracker_->gone(process.group, process.rank) || merged;
}

// ---- the leaders' bridge ----

void Newcomers::port_opened(const std::string& port, Effects& out) {
    bridge_.opened(port);
    connect_if_possible(out);
}

// Two threads of a process are not to be in accept at once, and MPI_Comm_spawn accepts, too.
void Newcomers::connect_if_possible(Effects& out) {
    if (!bridge_.can_connect() || (tracker_ && !tracker_->is_done())) return;
    bridge_.connect_ordered();
    out.push_back(TellConnect{{*bridge_.leader(), core::Rank{0}}, bridge_.port()});
}

void Newcomers::accept(Effects& out) {
    out.push_back(ArmTimer{Timer::accept, accept_within});
    out.push_back(TellAccept{});
}

void Newcomers::bridged(const Bridged& event, bool by_leader, bool by_newcomer, Effects& out) {
    merging_.erase(event.process);
    if (by_leader) {
        if (bridge_.is_accepting()) bridge_.accept_over();
        out.push_back(DisarmTimer{Timer::accept});
        bridge_.program_side(event.ok);
    } else if (by_newcomer) {
        bridge_.newcomers_side(event.ok);
    }
}

// ---- the end of a resize that is given up ----

// Milliseconds: killed in it, the other side of an accept might never come out. When a newcomer is
// lost already the accept is helped instead.
bool Newcomers::is_awaited() const {
    const bool in_accept = bridge_.is_accepting() && !bridge_.is_helped() && !lost_;
    return is_spawning() || !merging_.empty() || in_accept;
}

void Newcomers::end(Effects& out) {
    end_due_ = is_awaited();
    if (is_spawning()) {
        out.push_back(TellNewcomersCalledOff{});
        callers_.fail_all(out);
        return await_spawns(out);
    }
    if (end_due_) return out.push_back(ArmTimer{Timer::newcomers_end, merge_ends_within});
    out.push_back(DisarmTimer{Timer::newcomers_end});
    for (const auto& group : alive_) out.push_back(KillGroup{group, true});
}

void Newcomers::end_if_possible(Effects& out) {
    if (end_due_ && !is_awaited()) end(out);
}

// From each that returns to the next. One that was answered does so within milliseconds, or its new
// ranks do not come.
void Newcomers::await_spawns(Effects& out) const {
    if (!end_due_ || !is_spawning()) return;
    const auto within = callers_.any_accepting()         ? answered_spawn_ends_within
                        : lost_ || callers_.any_helped() ? lost_spawn_ends_within
                                                         : spawn_ends_within;
    out.push_back(ArmTimer{Timer::newcomers_end, within});
}

bool Newcomers::end_late(Effects& out) {
    if (is_spawning()) {
        if (!callers_.help_all(out)) return false;
        await_spawns(out);
        return true;
    }
    merging_.clear();  // they are dead, and who waits for them stays inside MPI
    end(out);
    return true;
}

void Newcomers::gone(core::GroupId group, Effects& out) {
    alive_.erase(group);
    callers_.answer(group, false, out);
}

void Newcomers::taken_over(std::set<core::GroupId> alive, bool accepting) {
    alive_ = std::move(alive);
    tracker_.reset();
    callers_ = {};
    merging_.clear();
    end_due_ = false;
    if (accepting && !bridge_.port().empty())
        bridge_.accept_begins();
    else
        bridge_.accept_over();
}

std::string Newcomers::open_spawn(const ResizePlan& plan) const {
    const auto& call = *tracker_->open().begin();
    std::string hosts;
    for (const auto& group : plan.added)
        if (group.id == call.starts)
            for (const auto& share : group.shares())
                hosts += (hosts.empty() ? "" : ", ") + plan.names.at(share.host);
    return fmt::format("rank g{}.{} is inside of MPI_Comm_spawn for group g{} on {}",
                       call.caller.value, call.rank.value, call.starts.value, hosts);
}

}  // namespace ductile::resize
