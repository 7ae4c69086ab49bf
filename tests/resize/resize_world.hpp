// A small world for a resize: agents, ranks and MPI as far as a resize sees them. Whatever can
// happen next waits in `pending`; the test chooses the order, and what dies.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "resize_fixture.hpp"

namespace ductile::resize {

class ResizeWorld {
  public:
    explicit ResizeWorld(const ResizePlan& plan) : plan_(plan) {}

    std::vector<Event> pending;
    std::set<Timer> timers;
    std::set<core::GroupId> alive;  ///< groups of which processes run, or may yet come up
    int commits = 0, launches = 0, killed = 0;  ///< the last: groups that the resize had killed
    bool finished = false, committed = false, job_ended = false;
    bool has_failed = false;  ///< a rank of the job is lost, so its broker is about to end it

    void see(const Effects& effects) {
        for (const auto& effect : effects) std::visit([this](const auto& e) { on(e); }, effect);
    }
    /// The broker has heard of each new rank.
    [[nodiscard]] bool all_are_up() const {
        return hellos_ >= core::ranks_in(core::Layout::of(plan_.added).active);
    }
    /// What was pending has happened.
    void happened(const Event& event) {
        std::visit([this](const auto& e) { after(e); }, event);
    }
    /// A process of this group dies.
    void kill(core::GroupId group) {
        if (alive.contains(group)) end_group(group, 9);
        has_failed = has_failed || plan_.starts_job();
    }
    /// One of the job dies that was there before the resize, active or parked.
    void kill_member() {
        const auto& of = plan_.before.parked.empty() ? plan_.before.active : plan_.before.parked;
        if (of.empty() || std::exchange(has_failed, true)) return;
        const auto& range = of.back();
        dead_ = {range.group, core::Rank{range.first.value + range.ranks - 1}};
        const auto& dead = *dead_;
        forget([&dead](const Event& event) {
            const auto* asked = std::get_if<SpawnAsked>(&event);
            const auto* returned = std::get_if<SpawnReturned>(&event);
            const auto* joined = std::get_if<SourceJoined>(&event);
            return (asked != nullptr && asked->caller == dead) ||
                   (joined != nullptr && joined->process == dead) ||
                   (returned != nullptr && returned->caller == dead);
        });
        std::erase_if(calls_, [&dead](const SpawnCall& call) {
            return core::Process{call.caller, call.rank} == dead;
        });
        add(ProcessEnded{dead, "a rank has ended", 9});
    }
    /// The broker is lost, with all that was on its way to it; the sources decide by themselves,
    /// and MPI_Comm_spawn returns with an error. What the next broker finds.
    TakenOver lose_broker() {
        pending.clear(), timers.clear(), calls_.clear(), asked_.clear(), gated_.clear();
        if (plan_.spawns_groups())
            std::erase_if(alive, [this](core::GroupId id) { return !released_.contains(id); });
        voted_ = true;  // who has not voted votes early
        return {committed_by_votes_, in_accept_, alive};
    }

  private:
    [[nodiscard]] core::Process leader() const { return plan_.before.at(core::Rank{0}); }
    [[nodiscard]] const core::Group& group_of(core::GroupId id) const {
        return *std::ranges::find(plan_.added, id, &core::Group::id);
    }
    template <class Gone>
    void forget(const Gone& gone) {
        std::erase_if(pending, gone);
    }
    void add(Event event) { pending.push_back(std::move(event)); }

    void come_up(core::GroupId id) {
        const auto& group = group_of(id);
        for (int i = 0; i < group.ranks; ++i) add(RankUp{{id, core::Rank{i}}});
        ready_waits_.insert(id);
    }
    void end_group(core::GroupId id, int code) {
        alive.erase(id);
        // Of what its processes were about to say nothing comes any more.
        forget([id](const Event& event) {
            const auto* up = std::get_if<RankUp>(&event);
            const auto* ready = std::get_if<GroupReady>(&event);
            const auto* bridged = std::get_if<Bridged>(&event);
            const auto* gate = std::get_if<GateReached>(&event);
            const auto* returned = std::get_if<SpawnReturned>(&event);
            return (up != nullptr && up->process.group == id) ||
                   (returned != nullptr && returned->caller.group == id) ||
                   (ready != nullptr && ready->group == id) ||
                   (bridged != nullptr && bridged->process.group == id) ||
                   (gate != nullptr && gate->group == id) ||
                   std::holds_alternative<Formed>(event) ||
                   std::holds_alternative<ConnectStarting>(event);
        });
        for (auto& event : pending)
            if (auto* joined = std::get_if<SourceJoined>(&event)) joined->ok = false;
        for (int i = 0; i < group_of(id).ranks; ++i)
            add(ProcessEnded{{id, core::Rank{i}}, "a newcomer has ended", code});
        if (gated_.erase(id) > 0) add(GateLost{id});
        add(GroupGone{id});
        // Ranks of the group that were to start others never will.
        for (const auto& call : calls_)
            if (call.caller == id) never_started(call.starts);
    }
    void never_started(core::GroupId id) {
        if (!alive.contains(id) || released_.contains(id)) return;
        alive.erase(id);
        add(GroupGone{id});
    }
    void return_spawns(core::GroupId starts, bool ok) {
        for (const auto& call : std::vector(calls_))
            if (call.starts == starts) {
                std::erase(calls_, call);
                const core::Process caller{call.caller, call.rank};
                asked_.erase(caller);
                if (caller.group != leader().group && !alive.contains(caller.group)) continue;
                add(SpawnReturned{caller, starts, ok, ok ? "" : "refused", 0.1});
                if (ok && merges()) add(Bridged{caller, true, "", false});
                ask_spawn_by(caller);
            }
        if (ok && merges()) add(Bridged{{starts, core::Rank{0}}, true, "", false});
    }
    [[nodiscard]] bool merges() const {
        return plan::bridge_by(plan_.strategy.start) != plan::SpawnBridge::no;
    }
    void vote() {
        if (std::exchange(voted_, true)) return;
        committed_by_votes_ = !abandoned_ && alive.size() == plan_.added.size();
        for (int i = 0; i < plan_.before.size(); ++i) {
            SwitchDone done{plan_.before.at(core::Rank{i}), {}};
            done.report.committed = committed_by_votes_;
            add(done);
        }
    }

    // ---- what the resize asks for ----
    void on(const StartGroups&) {
        ++launches;
        for (const auto& group : plan_.added) {
            alive.insert(group.id);
            if (!plan_.spawns_groups()) {
                come_up(group.id);
                continue;
            }
            for (const auto& share : group.shares()) add(HostPrepared{share.host, group.id});
        }
    }
    void on(const TellSpawn& e) {
        if (core::Process{e.call.caller, e.call.rank} == dead_) return;
        calls_.push_back(e.call);
        ask_spawn_by({e.call.caller, e.call.rank});
    }
    // Each process makes its calls one after the other, once it runs.
    void ask_spawn_by(const core::Process& caller) {
        const bool runs = caller.group == leader().group || up_.contains(caller.group);
        const bool root = plan_.strategy.start != plan::Start::collective || caller == leader();
        const auto call = std::ranges::find_if(calls_, [&](const SpawnCall& one) {
            return core::Process{one.caller, one.rank} == caller;
        });
        if (call == calls_.end() || !runs || !root || asked_.contains(caller)) return;
        asked_[caller] = call->starts;
        add(SpawnAsked{
            core::HostIndex{0}, caller, call->starts, group_of(call->starts).ranks, "port", {}});
    }
    void on(const ReleaseGroup& e) {
        released_.insert(e.group);
        gated_.insert(e.group);
        add(GateReached{e.group});
    }
    void on(const AnswerSpawn& e) {
        const auto asked = asked_.find(e.caller);
        if (asked == asked_.end()) return;  // a stranger's
        const auto starts = asked->second;
        gated_.erase(starts);
        if (e.ok)
            come_up(starts);
        else
            never_started(starts);
        return_spawns(starts, e.ok);
    }
    void on(const KillGroup& e) {
        ++killed;
        if (alive.contains(e.group)) end_group(e.group, 137);
    }
    void on(const TellConnectRound& e) { add(RoundDone{e.order.groups.front(), e.order.round}); }
    void on(const TellOpenPort&) { add(PortOpened{leader(), "port"}); }
    void on(const TellConnect& e) {
        if (alive.contains(e.leader.group)) add(ConnectStarting{e.leader});
    }
    void on(const TellAccept&) {
        in_accept_ = true;
        const auto group = plan_.added.front().id;
        if (!alive.contains(group)) return;
        add(Bridged{leader(), true, "", false});
        add(Bridged{{group, core::Rank{0}}, true, "", false});
    }
    void on(const ConnectAndAbort& e) {
        if (!e.host && in_accept_) add(Bridged{leader(), false, "abandoned", false});
        if (!e.host) return;
        for (const auto& [caller, starts] : std::map(asked_))
            if (!alive.contains(starts)) return_spawns(starts, false);
    }
    // Every second source has something to prepare first.
    void on(const TellPrepare& e) {
        for (int i = 0; i < plan_.before.size(); ++i)
            if (const bool prepares = e.attempt == 1 && i % 2 == 1; prepares)
                add(Progressed{plan_.before.at(core::Rank{i}), Work::prepares});
            else
                add(PointAnswered{plan_.before.at(core::Rank{i}), e.attempt, 3 + i, false});
    }
    void on(const TellDecision& e) {
        forget([](const Event& event) { return std::holds_alternative<PointAnswered>(event); });
        if (e.point > 0) add(Arrived{leader()});
    }
    void on(const TellProceed&) { vote(); }
    void on(const TellJoin& e) {
        if (!e.background) return;
        for (int i = 0; i < plan_.before.size(); ++i)
            if (const auto source = plan_.before.at(core::Rank{i}); source != dead_)
                add(SourceJoined{source, alive.size() == plan_.added.size(), "", false});
    }
    void on(const TellAbandon&) {
        abandoned_ = true;
        if (at_point_) vote();
    }
    void on(const Commit&) { ++commits; }
    void on(const ArmTimer& e) { timers.insert(e.timer); }
    void on(const DisarmTimer& e) { timers.erase(e.timer); }
    void on(const Finished& e) { finished = true, committed = e.committed; }
    void on(const EndJob&) { job_ended = true; }
    template <class Other>
    void on(const Other&) {}

    // ---- what follows in the world ----
    void after(const RankUp& e) {
        ++hellos_;
        up_.insert(e.process.group);
        if (ready_waits_.erase(e.process.group) == 0) return;
        const auto at = std::ranges::find(plan_.added, e.process.group, &core::Group::id);
        const auto rounds = plan::connect_rounds(static_cast<int>(plan_.added.size()))
                                .ports_of(static_cast<int>(at - plan_.added.begin()));
        add(GroupReady{e.process.group, at->ranks, rounds,
                       std::vector<std::string>(rounds.size(), "port")});
        for (const auto& call : std::vector(calls_))
            if (call.caller == e.process.group) ask_spawn_by({call.caller, call.rank});
    }
    void after(const GroupReady&) {
        if (++ready_ == static_cast<int>(plan_.added.size()) && plan_.added.size() == 1)
            add(Formed{{plan_.added.front().id, core::Rank{0}}});
    }
    void after(const RoundDone&) {
        if (++met_ + 1 == static_cast<int>(plan_.added.size()) &&
            alive.size() == plan_.added.size())
            add(Formed{{plan_.added.front().id, core::Rank{0}}});
    }
    void after(const Bridged& e) {
        if (e.process == leader()) in_accept_ = false;
    }
    void after(const Progressed& e) {
        if (e.work == Work::prepares) add(Progressed{e.process, Work::has_prepared});
    }
    void after(const Arrived&) {
        at_point_ = true;
        if (!plan_.is_blocking() || abandoned_) vote();
    }
    template <class Other>
    void after(const Other&) {}

    const ResizePlan& plan_;
    std::optional<core::Process> dead_;  ///< of those that were there before
    std::vector<SpawnCall> calls_;
    std::map<core::Process, core::GroupId> asked_;  ///< who is inside MPI_Comm_spawn for what
    std::set<core::GroupId> released_, gated_, ready_waits_, up_;
    int hellos_ = 0, ready_ = 0, met_ = 0;
    bool in_accept_ = false, abandoned_ = false, at_point_ = false, voted_ = false;
    bool committed_by_votes_ = false;
};

}  // namespace ductile::resize
