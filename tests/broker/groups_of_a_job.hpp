// A job for tests of its groups, and the effects of the groups as words.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "broker/group_effects.hpp"
#include "broker/job_groups.hpp"
#include "core/overloaded.hpp"

namespace ductile::broker {

/// Hosts node0, node1, ... of 2 slots, each with an agent that is up. The job is g0, with 2 ranks
/// on node0 and 2 ranks on node1.
struct TestJob {
    explicit TestJob(int count = 3) {
        for (int i = 0; i < count; ++i) {
            hosts.allocation.hosts.push_back({"node" + std::to_string(i), 2});
            hosts.up.insert(core::HostIndex{i});
            hosts.machines[core::HostIndex{i}] = core::HostIndex{i};
        }
        ledger.begin(core::Layout::of({first}));
        ledger.use_groups(1);
    }
    [[nodiscard]] GroupContext now() const {
        return {ledger, hosts, open ? &*open : nullptr, time};
    }

    core::Group first{core::GroupId{0}, core::HostIndex{0}, 4, {{core::HostIndex{1}, 2}}};
    /// `change` gets the layout of the job.
    template <class Change>
    void change_layout(const Change& change) {
        auto layout = ledger.layout();
        change(layout);
        ledger.begin(layout);
    }

    JobLedger ledger;
    HostsNow hosts;
    std::optional<resize::ResizeOperation> open;
    os::JobClock::time_point time{};
};

/// Resize 1 of that job adds this group.
inline resize::ResizePlan growth(const TestJob& job, const core::Group& added) {
    resize::ResizePlan plan;
    plan.id = core::TransactionId{1};
    plan.secret = "5ec2e7";
    plan.before = job.ledger.layout();
    plan.added = {added};
    plan.after = plan.before.with(plan.added);
    return plan;
}

inline resize::ResizePlan first_start(const TestJob& job) {
    resize::ResizePlan plan;
    plan.added = {job.first};
    plan.after = job.ledger.layout();
    return plan;
}

inline std::string word(const resize::Event& event) {
    return std::visit(core::Overloaded{
                          [](const resize::SpawnAsked&) { return "spawn asked"; },
                          [](const resize::GateReached&) { return "gate reached"; },
                          [](const resize::GateLost&) { return "gate lost"; },
                          [](const resize::GroupGone&) { return "group gone"; },
                          [](const resize::NewcomerLost&) { return "newcomer lost"; },
                          [](const resize::ProcessEnded&) { return "process ended"; },
                          [](const auto&) { return "another event"; },
                      },
                      event);
}

inline std::string word(const GroupEffect& effect) {
    return std::visit(
        core::Overloaded{
            [](const HostOrder& e) {
                const auto name = std::visit(
                    [](const auto& message) { return std::string(message.name); }, e.message);
                return std::to_string(e.host.value) + ":" + name;
            },
            [](const TellResize& e) { return word(e.event); },
            [](const NotifyUser&) { return std::string("notify"); },
            [](const ChildrenBegin&) { return std::string("children begin"); },
            [](const StartAgent& e) { return std::to_string(e.host.value) + ":start agent"; },
            [](const RankEnd&) { return std::string("rank end"); },
            [](const PartEnd&) { return std::string("part end"); },
        },
        effect);
}

using Words = std::vector<std::string>;

inline Words words(const GroupEffects& effects) {
    Words all;
    for (const auto& effect : effects) all.push_back(word(effect));
    return all;
}

template <class Message>
const Message& order_at(const GroupEffects& effects, std::size_t i) {
    return std::get<Message>(std::get<HostOrder>(effects.at(i)).message);
}

template <class Event>
const Event& event_at(const GroupEffects& effects, std::size_t i) {
    return std::get<Event>(std::get<TellResize>(effects.at(i)).event);
}

inline mpi::Capabilities served_by_agents() {
    mpi::Capabilities mpi;
    mpi.agents_start_ranks = true;
    return mpi;
}

inline JobGroups groups_with(const mpi::Capabilities& mpi) {
    wire::RankWelcome welcome;
    welcome.job = "job";
    welcome.vote_s = 7;
    return {mpi, welcome, [number = std::uint64_t{0}]() mutable {
                return pmi::KvsName(pmi::RandomBits{0, ++number});
            }};
}

}  // namespace ductile::broker
