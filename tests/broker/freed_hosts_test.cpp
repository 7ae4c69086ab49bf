#include "broker/freed_hosts.hpp"

#include <gtest/gtest.h>

#include <map>

namespace ductile::broker::freed_hosts_test {
namespace {

using core::HostIndex;
using Fate = FreedHosts::Fate;

struct FreedHostsTest : testing::Test {
    FreedHosts freed{"Open MPI"};
    std::map<HostIndex, Fate> fates;
    std::vector<std::string> answers;

    void wait(const std::set<HostIndex>& hosts, const std::string& text) {
        freed.wait(hosts, text, {JobsUser{text}});
    }
    void check() {
        for (const auto& one :
             freed.check([this](HostIndex host) { return fates[host]; },
                         [](HostIndex host) { return "node" + std::to_string(host.value); })) {
            ASSERT_EQ(one.askers.size(), 1u);
            EXPECT_TRUE(one.text.starts_with(std::get<JobsUser>(one.askers[0]).before));
            answers.push_back(one.text);
        }
    }
};

TEST_F(FreedHostsTest, NobodyIsAnsweredBeforeAllHostsAreFree) {
    wait({HostIndex{1}, HostIndex{2}}, "2 -> 1");
    fates = {{HostIndex{1}, Fate::free}, {HostIndex{2}, Fate::busy}};
    check();
    EXPECT_TRUE(answers.empty());
    fates[HostIndex{2}] = Fate::free;
    check();
    check();
    EXPECT_EQ(answers, std::vector<std::string>{"2 -> 1"});
}

TEST_F(FreedHostsTest, SaysWhatBecameOfThem) {
    wait({HostIndex{1}, HostIndex{2}, HostIndex{3}}, "done");
    fates = {{HostIndex{1}, Fate::taken}, {HostIndex{2}, Fate::empty}, {HostIndex{3}, Fate::free}};
    check();
    EXPECT_EQ(answers, std::vector<std::string>{
                           "done; the next resize has taken node1 again; empty, but kept by a "
                           "daemon of Open MPI until the job ends: node2"});
}

TEST_F(FreedHostsTest, WhoeverWaitsForNoHostIsAnsweredInTurn) {
    wait({}, "first");
    wait({HostIndex{1}}, "later");
    wait({}, "second");
    fates = {{HostIndex{1}, Fate::busy}};
    check();
    EXPECT_EQ(answers, (std::vector<std::string>{"first", "second"}));
}

}  // namespace
}  // namespace ductile::broker::freed_hosts_test
