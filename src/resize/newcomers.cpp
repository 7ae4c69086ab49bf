#include "resize/newcomers.hpp"

#include <utility>

namespace ductile::resize {

namespace {

using namespace std::chrono_literals;

constexpr auto merge_ends_within = 5s;   ///< limits a merge that waits for newcomers
constexpr auto helpers_end_within = 2s;  ///< limits a join whose newcomers are lost

void tell(const std::vector<ConnectRoundOrder>& orders, Effects& out) {
    for (const auto& order : orders) out.push_back(TellConnectRound{order});
}

}  // namespace

Newcomers::Newcomers(const ResizePlan& plan, bool lost_before)
    : connector_(plan.added, plan.readiness), lost_(lost_before) {
    if (plan.spawns_groups()) spawns_.emplace(plan);
}

// ---- the start of the groups ----

void Newcomers::start(const ResizePlan& plan, Effects& out) {
    for (const auto& group : plan.added) alive_.insert(group.id);
    out.push_back(StartGroups{});
    if (!spawns_) return;
    for (const auto& spawn : spawns_->spawns())
        if (connector_.knows(spawn.starter)) connector_.hold(spawn.starter);
}

// If there is only one new group, it leads. Its first rank is told where to connect before MPI is
// initialised there. It connects as soon as MPI is initialised.
void Newcomers::up(const RankUp& event, Effects& out) {
    const auto orders = connector_.hello(event.process);
    if (connector_.has_one_group() && event.process.rank == core::Rank{0}) {
        bridge_.offer_leader(event.process.group);
        connect_if_possible(out);
    }
    tell(orders, out);
}

// The newcomers' leader is told to connect to the program's leader before its group is told to
// connect to other groups. So joining the leaders takes no extra time.
void Newcomers::ready(const GroupReady& event, Effects& out) {
    const auto orders = connector_.ready(event.group, event.ranks, event.rounds, event.ports);
    bridge_.offer_leader(event.group);
    connect_if_possible(out);
    tell(orders, out);
}

void Newcomers::round_done(const RoundDone& event, Effects& out) {
    tell(connector_.round_done(event.leading, event.round), out);
}

void Newcomers::spawn_returned(const SpawnReturned& event, const ResizePlan& plan, bool wanted,
                               Effects& out) {
    spawns_->returned(event, plan);
    if (connector_.knows(event.caller.group)) {
        const auto orders = connector_.release(event.caller.group);
        if (wanted) tell(orders, out);
    }
    if (!end_due_) return;
    if (spawns_->any_open()) return spawns_->await(lost_, out);
    // The caller started these ranks before it heard that the resize is given up. It may never
    // merge with them.
    if (is_awaited()) out.push_back(ArmTimer{Timer::newcomers_end, merge_ends_within});
}

// ---- the leaders' bridge ----

// Two threads of a process must not accept at the same time, and MPI_Comm_spawn accepts, too.
void Newcomers::connect_if_possible(Effects& out) {
    if (!bridge_.can_connect() || (spawns_ && !spawns_->are_done())) return;
    bridge_.connect_ordered();
    out.push_back(TellConnect{*bridge_.connector(), bridge_.port()});
}

void Newcomers::ready_to_merge(const core::Process& process, Effects& out) {
    if (spawns_) spawns_->ready_to_merge(process, out);
}

void Newcomers::bridged(const Bridged& event, bool by_leader, bool by_newcomer, Effects& out) {
    if (spawns_) spawns_->merged(event.process);
    if (by_leader) {
        if (bridge_.is_accepting()) bridge_.accept_over();
        out.push_back(DisarmTimer{Timer::accept});
        bridge_.program_side(event.ok);
    } else if (by_newcomer) {
        bridge_.newcomers_side(event.ok);
    }
}

bool Newcomers::is_bridged() const {
    return bridge_.is_joined() && !(spawns_ && spawns_->any_merging());
}

// ---- the end of a resize that is given up ----

// An accept takes milliseconds. If a newcomer is killed during the accept, the other side might
// never return. If a newcomer is lost already, an abort connector ends the accept instead.
bool Newcomers::is_awaited() const {
    const bool in_accept = bridge_.is_accepting() && !bridge_.is_helped() && !lost_;
    // If the newcomers are killed during a join, helper threads of the sources stay inside MPI.
    const bool in_join = join_.is_open() && !lost_;
    return in_accept || in_join || (spawns_ && (spawns_->any_open() || spawns_->any_merging()));
}

void Newcomers::end(Effects& out) {
    end_due_ = is_awaited();
    if (spawns_ && spawns_->any_open()) return spawns_->call_off(lost_, out);
    if (end_due_) return out.push_back(ArmTimer{Timer::newcomers_end, merge_ends_within});
    out.push_back(DisarmTimer{Timer::newcomers_end});
    if (join_.is_open()) {
        out.push_back(TellAbandon{"the newcomers are lost"});
        out.push_back(ArmTimer{Timer::newcomers_end, helpers_end_within});
    }
    for (const auto& group : alive_) out.push_back(KillGroup{group, true});
}

void Newcomers::end_if_possible(Effects& out) {
    if (end_due_ && !is_awaited()) end(out);
}

bool Newcomers::end_late(Effects& out) {
    if (spawns_ && spawns_->any_open()) return spawns_->help_all(lost_, out);
    if (spawns_) spawns_->forget_merges();  // these merges do not end
    if (join_.is_open()) lost_ = true;      // the newcomers will be killed
    end(out);
    return true;
}

void Newcomers::gone(core::GroupId group, Effects& out) {
    alive_.erase(group);
    if (spawns_) spawns_->answer(group, false, out);
}

void Newcomers::taken_over(std::set<core::GroupId> alive, bool accepting) {
    alive_ = std::move(alive);
    spawns_.reset();
    join_.forget();  // ranks report when their helper threads have left MPI
    end_due_ = false;
    if (accepting && !bridge_.port().empty())
        bridge_.accept_begins();
    else
        bridge_.accept_over();
}

}  // namespace ductile::resize
