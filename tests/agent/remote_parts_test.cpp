#include "agent/remote_parts.hpp"

#include <gtest/gtest.h>

#include <asio/local/connect_pair.hpp>

namespace ductile::agent::remote_parts_test {
namespace {

using core::HostIndex;

const core::GroupId own{3};
const std::vector<wire::WorldHost> three{
    {HostIndex{4}, "a", 2}, {HostIndex{0}, "b", 1}, {HostIndex{7}, "c", 3}};

/// Both ends of the connection between the agent and a companion program.
struct Companion {
    explicit Companion(asio::io_context& io) : there(io) {
        asio::local::stream_protocol::socket here(io);
        asio::local::connect_pair(here, there);
        peer = std::make_shared<LocalPeer>(std::move(here));
    }
    wire::RemoteLaunchEnded answer() {
        wire::LocalSocket socket(wire::Fd(there.release()));
        const auto json = socket.receive(std::chrono::seconds(1));
        return std::get<wire::RemoteLaunchEnded>(wire::decode<wire::ToRemoteLaunch>(json.value()));
    }
    std::shared_ptr<LocalPeer> peer;
    asio::local::stream_protocol::socket there;
};

wire::ProxyPart ask(RemoteParts& parts, const std::shared_ptr<LocalPeer>& companion,
                    const std::string& host) {
    const auto wanted = parts.ask(companion, {own, host, {"proxy", host}});
    EXPECT_EQ(wanted.argv.back(), host);
    return {wanted.starts, wanted.part};
}

std::string refusal(RemoteParts& parts, const std::string& host) {
    try {
        ask(parts, nullptr, host);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(RankArguments, NameTheHostsOfAWorld) {
    wire::StartRun run;
    run.ranks = 2;
    wire::AgentWelcome welcome;
    welcome.launcher_here = {"--host", "localhost:{ranks}", "-n", "{ranks}"};
    welcome.launcher_further = {"--host", "{hosts}", "-n", "{ranks}"};
    EXPECT_EQ(rank_arguments(run, welcome),
              (std::vector<std::string>{"--host", "localhost:2", "-n", "2"}));
    run.world = three;
    EXPECT_EQ(rank_arguments(run, welcome),
              (std::vector<std::string>{"--host", "a:2,b:1,c:3", "-n", "6"}));
}

TEST(RemoteParts, OfAGroupOnOneHostRefuseAll) {
    RemoteParts none(own, {});
    EXPECT_TRUE(none.all_ended());
    EXPECT_NE(refusal(none, "b").find("host b"), std::string::npos);
}

TEST(RemoteParts, RefuseUnknownHostsTheFirstHostAndASecondTime) {
    asio::io_context io;
    Companion one(io);
    RemoteParts parts(own, three);
    EXPECT_NE(refusal(parts, "d").find("host d"), std::string::npos);
    EXPECT_NE(refusal(parts, "a").find("host a"), std::string::npos);
    EXPECT_EQ(ask(parts, one.peer, "b"), (wire::ProxyPart{own, 1}));
    EXPECT_NE(refusal(parts, "b").find("twice"), std::string::npos);
}

TEST(RemoteParts, CompanionHearsTheEndOfItsPart) {
    asio::io_context io;
    Companion one(io), two(io);
    RemoteParts parts(own, three);
    EXPECT_EQ(ask(parts, one.peer, "c"), (wire::ProxyPart{own, 2}));
    EXPECT_EQ(ask(parts, two.peer, "b"), (wire::ProxyPart{own, 1}));
    parts.ended({own, 2}, 9);
    EXPECT_FALSE(parts.all_ended());
    EXPECT_EQ(one.answer().code, 9);
    EXPECT_TRUE(two.peer->open());
    parts.ended({own, 1}, 0);
    EXPECT_TRUE(parts.all_ended());
    EXPECT_EQ(two.answer().code, 0);
}

TEST(RemoteParts, OfOtherGroupsKeepTheLauncherRunAlive) {
    asio::io_context io;
    Companion one(io), two(io);
    RemoteParts parts(own, {});
    const wire::ProxyPart first{core::GroupId{4}, 0}, second{core::GroupId{4}, 1};
    EXPECT_FALSE(parts.carries());
    EXPECT_EQ(ask(parts, one.peer, wire::proxy_name(first)), first);
    EXPECT_EQ(ask(parts, two.peer, wire::proxy_name(second)), second);
    EXPECT_NE(refusal(parts, wire::proxy_name(first)).find("twice"), std::string::npos);
    EXPECT_TRUE(parts.carries());
    EXPECT_FALSE(parts.all_ended());
    parts.ended(first, 0);
    EXPECT_EQ(one.answer().code, 0);
    EXPECT_TRUE(parts.carries());
    parts.ended(second, 1);
    EXPECT_EQ(two.answer().code, 1);
    EXPECT_FALSE(parts.carries());
    EXPECT_TRUE(parts.all_ended());
}

TEST(RemoteParts, OfTheOwnGroupCarryNoOther) {
    asio::io_context io;
    Companion one(io);
    RemoteParts parts(own, three);
    ask(parts, one.peer, "b");
    EXPECT_FALSE(parts.carries());
}

TEST(RemoteParts, ReleaseLetsAllCompanionsGo) {
    asio::io_context io;
    Companion one(io);
    RemoteParts parts(own, three);
    ask(parts, one.peer, "c");
    parts.release();
    EXPECT_EQ(one.answer().code, 0);
    EXPECT_FALSE(parts.all_ended()) << "it is not known";
}

TEST(RemoteParts, SayAgainWhatIsWantedUntilItHasEnded) {
    asio::io_context io;
    Companion one(io), two(io);
    RemoteParts parts(own, three);
    EXPECT_TRUE(parts.wanted().empty());
    ask(parts, one.peer, "b");
    ask(parts, two.peer, "c");
    ASSERT_EQ(parts.wanted().size(), 2u);
    EXPECT_EQ(parts.wanted()[1].part, 2);
    EXPECT_EQ(parts.wanted()[1].argv, (std::vector<std::string>{"proxy", "c"}));
    parts.ended({own, 1}, 0);
    ASSERT_EQ(parts.wanted().size(), 1u);
    EXPECT_EQ(parts.wanted()[0].part, 2);
}

}  // namespace
}  // namespace ductile::agent::remote_parts_test
