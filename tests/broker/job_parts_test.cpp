// What is seen of a job as a whole: its journal's snapshot, and what becomes of its hosts.
#include "broker/job_parts.hpp"

#include <gtest/gtest.h>

#include "../resize/resize_fixture.hpp"
#include "broker/world_name.hpp"
#include "fake_resource_manager.hpp"

namespace ductile::broker::job_parts_test {
namespace {

AgentEvents no_agent_events() {
    AgentEvents events;
    events.on_message = [](HostIndex, const wire::FromAgent&) {};
    events.on_up = events.on_gone = events.on_swept = events.on_input_room = [](HostIndex) {};
    events.on_lost = [](HostIndex, const std::string&) {};
    events.on_output = [](HostIndex, const wire::Output&) {};
    events.on_start = []() -> std::optional<std::string> { return std::nullopt; };
    events.on_unknown = [](HostIndex) { return false; };
    return events;
}

HostCallbacks no_host_callbacks() {
    HostCallbacks callbacks;
    callbacks.on_ready = [](const HostsReady&) {};
    callbacks.on_denied = [](const HostsDenied&) {};
    callbacks.on_must_go = [](const HostMustGo&) {};
    callbacks.notify_user = [](const std::string&) {};
    callbacks.journal = [](const std::string&) -> std::optional<std::string> {
        return std::nullopt;
    };
    return callbacks;
}

/// The job of the plan resize::shrink(), with all its parts.
struct JobPartsTest : testing::Test {
    std::vector<std::string> log;
    asio::io_context io;
    const resize::ResizePlan plan = resize::shrink();
    JobSpec spec;
    JobLife life;
    JobLedger ledger;
    JobHosts hosts{io,
                   "job-1",
                   AgentSetup{},
                   std::make_unique<FakeManager>(log),
                   no_agent_events(),
                   no_host_callbacks(),
                   std::nullopt};
    JobHistory history{"", false, {}};
    JobGroups groups{{}, {}, new_world_name};
    ResizeSlot slot{io, [](const resize::Effect&) {}, [] {}};
    ResizeRequests requests{spec};
    JobPolicy policy{make_own_policy(policy::Kind::natural), 1};

    JobPartsTest() {
        life.begin();
        life.run();
        ledger.begin(plan.before);
        ledger.use_groups(3);
    }
    [[nodiscard]] JobParts parts() const {
        return {spec, life, ledger, hosts, history, groups, slot, requests, policy};
    }
    [[nodiscard]] FreedHosts::Fate fate(HostIndex host) const { return fate_of(host, parts()); }
};

TEST_F(JobPartsTest, TheJournalGetsWhatAnotherBrokerNeeds) {
    ledger.set_health(Health::helper);
    EXPECT_TRUE(life.fail(3));
    slot.open(resize::ResizeOperation(plan));
    NextStep rest;
    rest.request.goal = Renewal{};
    rest.continues = plan.id;
    slot->next = rest;
    rest.continues = core::TransactionId{0};
    requests.continue_with(rest);
    const auto now = snapshot_of(parts());
    EXPECT_EQ(now.stage, Stage::running);
    EXPECT_EQ(now.layout, plan.before);
    EXPECT_EQ(now.next_group, 3);
    EXPECT_EQ(now.exit_code, 3);
    EXPECT_EQ(now.health, static_cast<int>(Health::helper));
    ASSERT_TRUE(now.open);
    EXPECT_EQ(now.open->plan(), plan);
    ASSERT_TRUE(now.next);
    EXPECT_EQ(now.next->continues, plan.id);
    ASSERT_EQ(now.waiting.size(), 1U);
    EXPECT_TRUE(now.waiting.front().request.renews());
    const JobLedger again(now);
    EXPECT_EQ(again.layout(), ledger.layout());
    EXPECT_EQ(again.health(), ledger.health());
    EXPECT_EQ(again.next_transaction(), ledger.next_transaction());
}

TEST_F(JobPartsTest, WhyTheJobEndsIsJournaled) {
    EXPECT_TRUE(life.end(std::string(2 * wire::limits::text_bytes, 'x')));
    const auto now = snapshot_of(parts());
    EXPECT_EQ(now.stage, Stage::ending);
    EXPECT_EQ(now.end_why.size(), wire::limits::text_bytes);
}

TEST_F(JobPartsTest, AHostThatRanksAreOnOrWillBeIsNotFree) {
    const auto host = plan.before.hosts().back();
    ASSERT_EQ(plan.after.ranks_on(host), 0);
    EXPECT_EQ(fate(host), FreedHosts::Fate::taken);
    ledger.commit(plan);
    EXPECT_EQ(fate(host), FreedHosts::Fate::free) << "it has no agent";
    auto back = plan;
    back.after = plan.before;
    slot.open(resize::ResizeOperation(back));
    EXPECT_EQ(fate(host), FreedHosts::Fate::taken) << "the next resize takes it";
}

// Three ranks, each on a host of two slots. Other jobs cannot use the first of these hosts.
TEST_F(JobPartsTest, APolicyIsToldWhatTheJobHas) {
    const core::Allocation held{{{"own", 2}, {"b", 2}, {"c", 2}, {"d", 3}}};
    const JobHosts with_hosts{io,
                              "job-1",
                              AgentSetup{},
                              std::make_unique<FakeManager>(log, held),
                              no_agent_events(),
                              no_host_callbacks(),
                              std::nullopt};
    spec.limits.min = {2, Origin::command_line};
    spec.limits.max = {8, Origin::command_line};
    spec.limits.preferred = {4, Origin::command_line};
    spec.limits.multiple = {1, Origin::command_line};
    const ResizeRequests limited(spec);
    const JobParts job{spec, life, ledger, with_hosts, history, groups, slot, limited, policy};
    rms::ClusterSeen seen;
    seen.kept = {"own", "none"};
    policy::JobView expected;
    expected.ranks = 3;
    expected.hosts = {{1, false}, {1, true}, {1, true}};
    expected.free_slots = 6;
    expected.slots_per_host = 3;
    expected.min = 2;
    expected.max = 8;
    expected.preferred = 4;
    expected.multiple = 1;
    EXPECT_EQ(policy_view_of(job, seen), expected);
    auto given_back = plan;
    given_back.after = plan.before;
    given_back.given_back = {{HostIndex{1}, 1}};
    ledger.commit(given_back);
    seen.kept_slots = 4;
    expected.free_slots = 9;
    EXPECT_EQ(policy_view_of(job, seen), expected);
    spec.asking.slots = 2;
    expected.slots_per_host = 2;
    EXPECT_EQ(policy_view_of(job, seen), expected);
    spec.mpi.keeps_daemons = true;
    for (auto& host : expected.hosts) host.is_returnable = false;
    EXPECT_EQ(policy_view_of(job, seen), expected);
}

TEST_F(JobPartsTest, TheEfficiencyIsUnknownAfterACommittedResize) {
    const auto efficiency = [this] { return history.efficiency().of(ledger.layout()); };
    const auto report_all = [this] {
        for (int rank = 0; rank < ledger.layout().size(); ++rank)
            history.efficiency().measured(ledger.layout().at(core::Rank{rank}), 2, 1);
    };
    const core::Allocation held{{{"a", 2}, {"b", 2}, {"c", 2}, {"d", 3}}};
    EXPECT_EQ(efficiency(), std::nullopt);
    report_all();
    EXPECT_EQ(efficiency(), 0.5);
    slot.open(resize::ResizeOperation(plan));
    auto undone = slot.take();
    history.resize(undone, false, "", held);
    EXPECT_EQ(efficiency(), 0.5) << "the size is the same";
    ledger.commit(plan);
    slot.open(resize::ResizeOperation(plan));
    auto done = slot.take();
    history.resize(done, true, "", held);
    EXPECT_EQ(efficiency(), std::nullopt);
    report_all();
    EXPECT_EQ(efficiency(), 0.5);
}

TEST_F(JobPartsTest, RequestsAreToldHowTheJobIs) {
    using Life = RequestContext::Life;
    EXPECT_EQ(request_context(parts()).life, Life::running);
    EXPECT_EQ(request_context(parts()).next_id, ledger.next_transaction());
    EXPECT_EQ(request_context(parts()).open, nullptr);
    slot.open(resize::ResizeOperation(plan));
    EXPECT_NE(request_context(parts()).open, nullptr);
    EXPECT_TRUE(life.finish());
    EXPECT_EQ(request_context(parts()).life, Life::ending);
    EXPECT_TRUE(life.end(""));
    EXPECT_EQ(request_context(parts()).life, Life::ending);
}

}  // namespace
}  // namespace ductile::broker::job_parts_test
