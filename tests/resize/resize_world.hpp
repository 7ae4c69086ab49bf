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
    int commits = 0, launches = 0, killed = 0;  ///< killed: groups that the resize asked to kill
    bool finished = false, committed = false, job_ended = false;
    bool has_failed = false;      ///< a rank of the job is lost, so its broker is about to end it
    bool lost_too_early = false;  ///< the resize has heard of a lost newcomer, and of no commit
    bool rank_0_has_committed = false;  ///< with tight memory

    void see(const Effects& effects) {
        for (const auto& effect : effects) std::visit([this](const auto& e) { on(e); }, effect);
    }
    /// The broker has heard of each new rank.
    [[nodiscard]] bool all_are_up() const {
        return hellos_ >= core::ranks_in(core::Layout::of(plan_.added).active);
    }
    /// The sources are at the point, and commit before the data moves. They may have committed
    /// already.
    [[nodiscard]] bool is_certain() const {
        return plan_.commits_before_data() && voted_ && !abandoned_;
    }
    [[nodiscard]] bool has_voted() const { return voted_; }
    /// The program moves its own data after the votes, when nobody can undo the resize any more.
    [[nodiscard]] bool moves_after_votes() const {
        return plan_.added.empty() || plan_.commits_before_data();
    }
    /// Whether the program can fail on a new rank, or on an old rank, now. It works on new ranks
    /// before the votes, and on old ranks before the announcement. Then it moves its own data.
    [[nodiscard]] bool may_fail(bool is_new) const {
        if (plan_.starts_job()) return false;
        if (!moves_after_votes()) return !voted_;
        return voted_ ? committed_by_votes_ : is_new || !announced_;
    }
    /// This pending event has happened.
    void happened(const Event& event) {
        std::visit([this](const auto& e) { after(e); }, event);
    }
    /// A process of this group dies.
    void kill(core::GroupId group) {
        if (alive.contains(group)) end_group(group, 9);
        has_failed = has_failed || plan_.starts_job();
    }
    /// A rank dies that was in the job before the resize: a parked rank if there is one, otherwise
    /// an active rank.
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
    /// The broker is lost, with all messages on their way to it. The sources decide by themselves,
    /// and MPI_Comm_spawn returns with an error. Returns what the next broker finds.
    TakenOver lose_broker() {
        pending.clear(), timers.clear(), calls_.clear(), asked_.clear(), gated_.clear();
        if (plan_.spawns_groups())
            std::erase_if(alive, [this](core::GroupId id) { return !released_.contains(id); });
        voted_ = true;  // a source that has not voted votes early
        return {committed_by_votes_, in_accept_, alive};
    }

  private:
    [[nodiscard]] core::Process leader() const { return plan_.before.at(core::Rank{0}); }
    [[nodiscard]] bool is_source(const core::Process& process) const {
        return plan_.before.rank_of(process).has_value();
    }
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
        // What its processes were about to send never arrives.
        forget([id](const Event& event) {
            const auto* up = std::get_if<RankUp>(&event);
            const auto* ready = std::get_if<GroupReady>(&event);
            const auto* bridged = std::get_if<Bridged>(&event);
            const auto* merges = std::get_if<ReadyToMerge>(&event);
            const auto* gate = std::get_if<GateReached>(&event);
            const auto* returned = std::get_if<SpawnReturned>(&event);
            const auto* progressed = std::get_if<Progressed>(&event);
            return (up != nullptr && up->process.group == id) ||
                   (returned != nullptr && returned->caller.group == id) ||
                   (ready != nullptr && ready->group == id) ||
                   (bridged != nullptr && bridged->process.group == id) ||
                   (merges != nullptr && merges->process.group == id) ||
                   (gate != nullptr && gate->group == id) ||
                   (progressed != nullptr && progressed->process.group == id) ||
                   std::holds_alternative<Formed>(event) ||
                   std::holds_alternative<ConnectStarting>(event);
        });
        for (auto& event : pending)
            if (auto* joined = std::get_if<SourceJoined>(&event)) joined->ok = false;
        for (int i = 0; i < group_of(id).ranks; ++i)
            add(ProcessEnded{{id, core::Rank{i}}, "a newcomer has ended", code});
        if (gated_.erase(id) > 0) add(GateLost{id});
        add(GroupGone{id});
        // The groups that ranks of this group were to start are never started.
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
                if (!is_source(caller) && !alive.contains(caller.group)) continue;
                add(SpawnReturned{caller, starts, ok, ok ? "" : "refused", 0.1});
                if (ok && merges()) to_merge_.insert(caller);
                ask_spawn_by(caller);
            }
        if (ok && merges()) add(ReadyToMerge{{starts, core::Rank{0}}});
    }
    [[nodiscard]] bool merges() const {
        return plan::bridge_by(plan_.strategy.start) != plan::SpawnBridge::no;
    }
    void vote() {
        if (std::exchange(voted_, true)) return;
        committed_by_votes_ = !abandoned_ && alive.size() == plan_.added.size();
        if (committed_by_votes_) move_own_data();
        const bool leader_commits = committed_by_votes_ && plan_.commits_before_data();
        if (leader_commits) add(Progressed{leader(), Work::commits});
        // Reports from other hosts may overtake what rank 0 says, but its own report cannot.
        for (int i = leader_commits ? 1 : 0; i < plan_.before.size(); ++i) report(i);
    }
    void move_own_data() {
        auto all = plan_.before.active;
        for (const auto& more : {plan_.change().returning, core::Layout::of(plan_.added).active})
            all.insert(all.end(), more.begin(), more.end());
        for (const auto& range : all)
            for (int i = 0; i < range.ranks; ++i)
                add(Progressed{{range.group, core::Rank{range.first.value + i}}, Work::moves});
    }
    void report(int rank) {
        SwitchDone done{plan_.before.at(core::Rank{rank}), {}};
        done.report.committed = committed_by_votes_;
        add(done);
    }
    // With a tree, the groups tell each other that all of them are ready.
    void form_by_tree() {
        const auto groups = plan_.added.size();
        if (plan_.readiness != plan::Readiness::tree || !share_ports_ || !calls_.empty()) return;
        if (ready_ < static_cast<int>(groups) || alive.size() < groups) return;
        if (!std::exchange(formed_, true)) add(Formed{{plan_.added.front().id, core::Rank{0}}});
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
        const bool runs = is_source(caller) || up_.contains(caller.group);
        const bool root = plan_.strategy.start != plan::Start::collective || caller == leader();
        const auto call = std::ranges::find_if(calls_, [&](const SpawnCall& one) {
            return core::Process{one.caller, one.rank} == caller;
        });
        if (call == calls_.end() || !runs || !root || asked_.contains(caller)) return;
        asked_[caller] = call->starts;
        add(SpawnAsked{
            core::HostIndex{0}, caller, call->starts, group_of(call->starts).ranks, "port", {}});
    }
    void on(const TellSharePorts& e) {
        // A starter that is not told keeps its ports to itself.
        share_ports_ = std::ranges::all_of(plan_.spawns, [&e](const plan::Spawn& spawn) {
            return std::ranges::count(e.starters, core::Process{spawn.starter, spawn.rank}) == 1;
        });
    }
    void on(const TellMerge& e) {
        const auto& group = plan_.added.front();
        for (const auto& process : e.starters) {
            // A starter merges only if its spawn has returned.
            if (to_merge_.erase(process) > 0)
                add(Bridged{process, alive.contains(group.id), "", false});
        }
        if (alive.contains(group.id)) add(Bridged{{group.id, core::Rank{0}}, true, "", false});
    }
    // A starter that has not begun to merge gives up.
    void on(const TellPending& e) {
        if (!e.on) leave_merges();
    }
    void leave_merges() {
        for (const auto& process : std::exchange(to_merge_, {}))
            add(Bridged{process, false, "given up", false});
    }
    void on(const ReleaseGroup& e) {
        released_.insert(e.group);
        gated_.insert(e.group);
        add(GateReached{e.group});
    }
    void on(const AnswerSpawn& e) {
        const auto asked = asked_.find(e.caller);
        if (asked == asked_.end()) return;  // the caller has no part in the resize
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
        announced_ = e.point > 0;
        if (announced_) add(Arrived{leader()});
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
        leave_merges();
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
        ++ready_;
        if (plan_.readiness == plan::Readiness::tree)
            form_by_tree();
        else if (ready_ == 1 && plan_.added.size() == 1)
            add(Formed{{plan_.added.front().id, core::Rank{0}}});
    }
    void after(const SpawnReturned&) { form_by_tree(); }
    void after(const ProcessEnded& e) {
        if (commits == 0 && plan_.adds(e.process.group) && !plan_.starts_job())
            lost_too_early = true;
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
        if (e.work == Work::moves) add(Progressed{e.process, Work::has_moved});
        if (e.work != Work::commits) return;
        rank_0_has_committed = true;
        report(0);
    }
    void after(const Arrived&) {
        at_point_ = true;
        if (!plan_.is_blocking() || abandoned_) vote();
    }
    template <class Other>
    void after(const Other&) {}

    const ResizePlan& plan_;
    std::optional<core::Process> dead_;  ///< a rank that was there before the resize
    std::vector<SpawnCall> calls_;
    std::map<core::Process, core::GroupId> asked_;  ///< callers of MPI_Comm_spawn; what they start
    std::set<core::GroupId> released_, gated_, ready_waits_, up_;
    std::set<core::Process> to_merge_;  ///< starters whose spawn has returned
    int hellos_ = 0, ready_ = 0, met_ = 0;
    bool announced_ = false;
    bool in_accept_ = false, abandoned_ = false, at_point_ = false, voted_ = false;
    bool committed_by_votes_ = false, share_ports_ = false, formed_ = false;
};

}  // namespace ductile::resize
