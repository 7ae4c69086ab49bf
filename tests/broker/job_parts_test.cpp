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

HostNews no_host_news() {
    HostNews news;
    news.on_ready = [](const HostsReady&) {};
    news.on_denied = [](const HostsDenied&) {};
    news.on_must_go = [](const HostMustGo&) {};
    news.notify_user = [](const std::string&) {};
    news.journal = [](const std::string&) -> std::optional<std::string> { return std::nullopt; };
    return news;
}

/// A job of the resize that tests shrink, with all that belongs to it.
struct JobPartsTest : testing::Test {
    std::vector<std::string> log;
    asio::io_context io;
    const resize::ResizePlan plan = resize::shrink();
    JobSpec spec;
    JobLife life;
    JobLedger ledger;
    JobHosts hosts{io,
                   "job-1",
                   wire::AgentWelcome{},
                   std::make_unique<FakeManager>(log),
                   no_agent_events(),
                   no_host_news(),
                   std::nullopt};
    JobHistory history{"", false, {}, [](HostIndex) { return "a host"; }};
    JobGroups groups{{}, {}, new_world_name};
    ResizeSlot slot{io, [](const resize::Effect&) {}, [] {}};
    ResizeRequests requests{spec, [](const std::string&) {}};

    JobPartsTest() {
        life.begin();
        life.run();
        ledger.begin(plan.before);
        ledger.use_groups(3);
    }
    [[nodiscard]] JobParts parts() const {
        return {spec, life, ledger, hosts, history, groups, slot, requests};
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
