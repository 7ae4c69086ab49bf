// Resizes for tests, and helpers that play the broker, the agents and the ranks.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "resize/resize_operation.hpp"

namespace ductile::resize {

inline core::Group group(int id, int host, int ranks = 1) {
    return {core::GroupId{id}, core::HostIndex{host}, ranks};
}
inline core::Process process(int id, int rank = 0) {
    return {core::GroupId{id}, core::Rank{rank}};
}

/// Two sources on host 0, and `groups` new groups, each on a host of its own.
inline ResizePlan growth(int groups, plan::Start start, plan::Overlap overlap, int ranks = 1) {
    ResizePlan plan;
    plan.id = core::TransactionId{5};
    plan.before = core::Layout::of({group(0, 0, 2)});
    for (int i = 1; i <= groups; ++i) plan.added.push_back(group(i, i, ranks));
    plan.after = plan.before.with(plan.added);
    plan.strategy = {plan::Method::merge, start, overlap};
    if (plan::starts_each_host(start))
        plan.spawns = plan::spawn_schedule(plan.before, plan.added);
    else if (start != plan::Start::launch)
        plan.spawns = {{1, core::GroupId{0}, core::Rank{0}, core::GroupId{1}}};
    plan.secret = "5ec4e7";
    for (const auto& one : plan.added)
        plan.names[one.host] = "node" + std::to_string(one.host.value);
    plan.shape = plan::shape_of(plan.before, plan.after, plan.added, plan.spawns);
    return plan;
}

/// The same, but the new ranks are joined before the point.
inline ResizePlan growth_joined_early(int groups, plan::Start start, int ranks = 1) {
    auto plan = growth(groups, start, plan::Overlap::background, ranks);
    plan.strategy.joining = plan::Joining::background;
    return plan;
}

/// Three sources on three hosts; one source stays.
inline ResizePlan shrink() {
    ResizePlan plan;
    plan.id = core::TransactionId{6};
    plan.before = core::Layout::of({group(0, 0), group(1, 1), group(2, 2)});
    plan.after = plan.before.without({core::Rank{1}, core::Rank{2}});
    return plan;
}

/// The same, but the two other sources are parked. All are on one host.
inline ResizePlan parking() {
    ResizePlan plan;
    plan.id = core::TransactionId{6};
    plan.before = core::Layout::of({group(0, 0, 3)});
    plan.after = plan.before.without({}, {core::Rank{1}, core::Rank{2}});
    return plan;
}

/// Two sources, and two parked ranks that come back.
inline ResizePlan unparking() {
    ResizePlan plan;
    plan.id = core::TransactionId{7};
    plan.before = core::Layout::of({group(0, 0, 2), group(1, 0, 2)})
                      .without({}, {core::Rank{2}, core::Rank{3}});
    plan.after = plan.before.with_back(2);
    return plan;
}

/// All processes are new afterwards.
inline ResizePlan renewal(int groups, plan::Start start, plan::Overlap overlap, int ranks = 1) {
    auto plan = growth(groups, start, overlap, ranks);
    plan.id = core::TransactionId{8};
    plan.after = core::Layout::of(plan.added);
    plan.strategy.method = plan::Method::baseline;
    plan.from_degraded = true;
    plan.shape = plan::shape_of(plan.before, plan.after, plan.added, plan.spawns);
    return plan;
}

inline ResizePlan start_of_job(int ranks = 2) {
    ResizePlan plan;
    plan.added = {group(0, 0, ranks)};
    plan.after = core::Layout::of(plan.added);
    return plan;
}

template <class Wanted>
int count(const Effects& effects) {
    return static_cast<int>(std::ranges::count_if(
        effects, [](const Effect& one) { return std::holds_alternative<Wanted>(one); }));
}
template <class Wanted>
const Wanted* first(const Effects& effects) {
    for (const auto& one : effects)
        if (const auto* found = std::get_if<Wanted>(&one)) return found;
    return nullptr;
}

/// Feeds an operation, answers its journal, and keeps all that it asked for.
class Driver {
  public:
    explicit Driver(ResizePlan plan) : operation(std::move(plan)) {}

    /// Returns the effects of this event and of the answers of the journal to it.
    Effects tell(const Event& event) {
        Effects now;
        operation.on(event, now);
        while (!now.empty() && asks_journal(now.back())) {
            Effects more;
            if (journal_fails)
                operation.on(NotRecorded{"the disk is full"}, more);
            else
                operation.on(Recorded{}, more);
            now.insert(now.end(), more.begin(), more.end());
            if (more.empty()) break;
        }
        all.insert(all.end(), now.begin(), now.end());
        return now;
    }

    ResizeOperation operation;
    Effects all;
    bool journal_fails = false;

  private:
    static bool asks_journal(const Effect& effect) {
        const auto* record = std::get_if<Record>(&effect);
        return record != nullptr && record->required;
    }
};

}  // namespace ductile::resize
