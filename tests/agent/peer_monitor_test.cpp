// Which agents hear each other when the broker is gone: tables, and all agents of a job together.
#include "agent/peer_monitor.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>

namespace ductile::agent::peer_monitor_test {
namespace {

using namespace std::chrono_literals;
using core::HostIndex;
namespace event = peer_event;

constexpr HostIndex h0{0}, h1{1}, h2{2}, h3{3};

struct Bench {
    PeerMonitor monitor;
    Time now{1000s};

    explicit Bench(HostIndex self) : monitor(self) {}
    Bench& on(const event::Any& what) {
        monitor.on(what, now);
        return *this;
    }
    Bench& named(HostIndex coordinator) {
        return on(event::CoordinatorNamed{coordinator, {h0, h1, h2}});
    }
    [[nodiscard]] bool complete() const { return monitor.is_complete(now); }
};

Bench coordinator() {
    Bench bench(h0);
    bench.named(h0);
    return bench;
}

Bench follower() {
    Bench bench(h1);
    bench.named(h0);
    return bench;
}

TEST(PeerMonitor, NothingIsKnownBeforeACoordinatorIsNamed) {
    Bench bench(h1);
    for (const auto& what :
         {event::Any{event::BrokerLost{}}, event::Any{event::CoordinatorHeard{}},
          event::Any{event::CoordinatorEnded{}}, event::Any{event::CoordinatorClosed{}},
          event::Any{event::Heard{h2}}}) {
        bench.on(what);
        EXPECT_FALSE(bench.monitor.knows_coordinator());
        EXPECT_FALSE(bench.monitor.is_coordinator());
        EXPECT_FALSE(bench.monitor.wants_coordinator());
        EXPECT_FALSE(bench.complete());
        EXPECT_TRUE(bench.monitor.others_ended()) << "nobody is waited for";
    }
}

TEST(PeerMonitor, TheCoordinatorHearsOfAllOtherMembers) {
    const struct {
        std::vector<event::Any> events;
        bool complete, ended;
    } table[] = {
        {{}, false, false},
        {{event::Heard{h1}}, false, false},
        {{event::Heard{h1}, event::Heard{h2}}, true, false},
        {{event::Heard{h1}, event::Heard{h3}}, false, false},  // 3 holds no members
        {{event::Heard{h1}, event::Ended{h2}}, true, false},
        {{event::Ended{h1}, event::Ended{h2}}, true, true},
        {{event::Heard{h1}, event::Heard{h2}, event::Closed{h2}}, false, false},
        {{event::Heard{h1}, event::Heard{h2}, event::Ended{h2}, event::Closed{h2}}, true, false},
        {{event::Heard{h1}, event::Heard{h2}, event::Closed{h2}, event::Heard{h2}}, true, false},
        {{event::CoordinatorHeard{}, event::CoordinatorEnded{}}, false, false},  // it is one itself
    };
    for (const auto& row : table) {
        auto bench = coordinator();
        for (const auto& what : row.events) bench.on(what);
        EXPECT_EQ(bench.complete(), row.complete) << &row - table;
        EXPECT_EQ(bench.monitor.others_ended(), row.ended) << &row - table;
        EXPECT_FALSE(bench.on(event::BrokerLost{}).monitor.wants_coordinator()) << "it is it";
    }
}

TEST(PeerMonitor, TheOthersHearOfTheCoordinator) {
    const struct {
        std::vector<event::Any> events;
        bool complete, ended, wants;
    } table[] = {
        {{}, false, false, true},
        {{event::CoordinatorHeard{}}, true, false, true},
        {{event::CoordinatorHeard{}, event::CoordinatorClosed{}}, false, false, true},
        {{event::CoordinatorHeard{}, event::CoordinatorEnded{}}, false, true, false},
        {{event::Heard{h0}, event::Heard{h2}}, false, false, true},  // they mistake it for theirs
        {{event::BrokerBack{}}, false, false, false},
    };
    for (const auto& row : table) {
        auto bench = follower();
        bench.on(event::BrokerLost{});
        for (const auto& what : row.events) bench.on(what);
        EXPECT_EQ(bench.complete(), row.complete) << &row - table;
        EXPECT_EQ(bench.monitor.others_ended(), row.ended) << &row - table;
        EXPECT_EQ(bench.monitor.wants_coordinator(), row.wants) << &row - table;
    }
}

TEST(PeerMonitor, WhoIsSilentForLongerThanTheLimitIsNotHeard) {
    auto here = coordinator();
    here.monitor.set_heartbeat({1s, 3s});
    here.on(event::Heard{h1}).on(event::Heard{h2});
    auto there = follower();
    there.monitor.set_heartbeat({1s, 3s});
    there.on(event::CoordinatorHeard{});
    for (auto* bench : {&here, &there}) {
        bench->now += 3s;
        EXPECT_TRUE(bench->complete());
        bench->now += 1ms;
        EXPECT_FALSE(bench->complete());
    }
    EXPECT_FALSE(here.on(event::Heard{h1}).complete());
    EXPECT_TRUE(here.on(event::Heard{h2}).complete());
    EXPECT_TRUE(there.on(event::CoordinatorHeard{}).complete());
}

TEST(PeerMonitor, OfANewCoordinatorNothingHasBeenHeard) {
    auto bench = follower();
    bench.on(event::BrokerLost{}).on(event::CoordinatorHeard{});
    EXPECT_TRUE(bench.named(h0).complete()) << "the same again";
    EXPECT_FALSE(bench.named(h2).complete());
    EXPECT_TRUE(bench.monitor.is_coordinator(h2));
    bench.on(event::CoordinatorEnded{}).named(h0);
    EXPECT_TRUE(bench.monitor.wants_coordinator()) << "another one has ended";
    // The agents that it heard before it became the coordinator count.
    bench.on(event::Heard{h0}).on(event::Heard{h2}).named(h1);
    EXPECT_TRUE(bench.complete());
}

TEST(PeerMonitor, AFailureElsewhereCountsUntilTheBrokerIsBack) {
    auto bench = coordinator();
    EXPECT_FALSE(bench.on(event::BrokerLost{}).monitor.has_failed());
    EXPECT_TRUE(bench.on(event::Failed{h1}).monitor.has_failed());
    EXPECT_TRUE(bench.on(event::BrokerLost{}).on(event::Closed{h1}).monitor.has_failed());
    EXPECT_FALSE(bench.on(event::BrokerBack{}).monitor.has_failed());
}

/// The hosts of a job. All their messages arrive, except over links that are cut.
struct Job {
    std::vector<PeerMonitor> hosts;
    std::vector<bool> cut;
    Time now{1000s};

    explicit Job(int size) : cut(static_cast<std::size_t>(size), false) {
        std::vector<HostIndex> members;
        for (int host = 0; host < size; ++host) members.push_back(HostIndex{host});
        for (const auto host : members) {
            hosts.emplace_back(host);
            hosts.back().on(event::CoordinatorNamed{h0, members}, now);
            hosts.back().on(event::BrokerLost{}, now);
        }
    }
    void send_heartbeats() {
        now += 1s;
        for (std::size_t i = 1; i < hosts.size(); ++i) {
            if (cut[i]) continue;
            hosts[0].on(event::Heard{HostIndex{static_cast<int>(i)}}, now);
            hosts[i].on(event::CoordinatorHeard{}, now);
        }
    }
};

RC_GTEST_PROP(PeerMonitorProperty, TheJobIsCompleteForAllWhoHearAndForNoneWhoMissOne, ()) {
    const int size = *rc::gen::inRange(2, 8);
    Job job(size);
    job.send_heartbeats();
    const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, size));
    for (const int which : steps) {
        const auto host = static_cast<std::size_t>(which);
        job.cut[host] = !job.cut[host];
        for (int i = 0; i < 6; ++i) job.send_heartbeats();  // longer than the limit
        RC_ASSERT(job.hosts[0].is_complete(job.now) ==
                  std::ranges::none_of(job.cut, std::identity{}));
        for (std::size_t i = 1; i < job.hosts.size(); ++i)
            RC_ASSERT(job.hosts[i].is_complete(job.now) == !job.cut[i]);
    }
}

}  // namespace
}  // namespace ductile::agent::peer_monitor_test
