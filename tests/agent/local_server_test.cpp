// The agent's Unix socket. It must refuse another user, garbage, silent connections, and ranks that
// do not exist.
#include "agent/local_server.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "agent/runtime_directory.hpp"
#include "agent_test.hpp"
#include "wire/local_messages.hpp"

namespace ductile::test::local_server_test {
namespace {

/// Connects to an agent's socket as a rank would.
wire::LocalSocket connect_to(FakeBroker& broker, int host) {
    const auto directories = directories_of(broker.job());
    EXPECT_EQ(directories.size(), 1u);
    static_cast<void>(host);
    return wire::LocalSocket::connect(directories.at(0) + "/agent.sock", 1s);
}

bool is_closed(FakeBroker& broker, wire::LocalSocket& socket) {
    return broker.run_until([&] {
        try {
            socket.receive(0ms);
            return false;
        } catch (const Error&) {
            return true;
        }
    });
}

TEST(LocalServer, StrangeHellosAreRefusedAndTheRunGoesOn) {
    FakeBroker broker;
    broker.welcome.program = program({"hello", "say", "up", "1", "sleep", "700", "goodbye"});
    broker.start_agent(0, {run_of(1, 2)});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).output.size() == 2; }));
    using wire::FromLocal;
    const std::string frames[] = {
        wire::to_frame(FromLocal{wire::RankHello{core::GroupId{9}, core::Rank{0}, 1}}),
        wire::to_frame(FromLocal{wire::RankHello{core::GroupId{1}, core::Rank{2}, 1}}),
        wire::to_frame(FromLocal{wire::RankHello{core::GroupId{1}, core::Rank{-1}, 1}}),
        wire::to_frame(FromLocal{wire::ShimHello{core::GroupId{1}, core::Rank{0}, 1}}),
        wire::to_frame(wire::FromRank{wire::Goodbye{}}),
        wire::to_frame(wire::Message(nlohmann::json{{"type", "rank_hello"}})),
        std::string("\xff\xff\xff\xff garbage"),
        std::string(4, '\0'),
    };
    for (const auto& frame : frames) {
        auto socket = connect_to(broker, 0);
        socket.send(frame);
        EXPECT_TRUE(is_closed(broker, socket));
    }
    EXPECT_TRUE(broker.run_until(
        [&] { return broker.heard(0).all<wire::Notice>().size() == std::size(frames) - 2; }));
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    for (const auto& end : broker.heard(0).all<wire::RankEnded>()) EXPECT_TRUE(end.goodbye);
    finish(broker, 0);
}

TEST(LocalServer, RankThatTalksNonsenseLosesItsConnectionOnly) {
    FakeBroker broker;
    broker.welcome.program = program({"sleep", "1000"});
    broker.start_agent(0, {run_of(1, 1)});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).control; }));
    auto socket = connect_to(broker, 0);
    const auto hello = wire::FromLocal{wire::RankHello{core::GroupId{1}, core::Rank{0}, 1}};
    socket.send(wire::to_frame(hello));
    ASSERT_TRUE(broker.run_until([&] { return socket.receive(0ms).has_value(); }));
    socket.send(wire::to_frame(hello));  // a second hello
    EXPECT_TRUE(is_closed(broker, socket));
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    finish(broker, 0);
}

TEST(LocalServer, AnotherUserIsTurnedAway) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
    const auto directory =
        std::filesystem::temp_directory_path() / ("ductile-test-" + std::to_string(::getpid()));
    std::filesystem::create_directory(directory);
    ::chmod(directory.c_str(), 0755);
    const auto path = (directory / "open.sock").string();
    asio::io_context io;
    int firsts = 0;
    std::vector<std::string> refused;
    agent::LocalServer server(
        io, path,
        [&](const std::shared_ptr<agent::LocalPeer>&, const wire::Message&, std::vector<wire::Fd>) {
            ++firsts;
        },
        [&](const std::string& why) { refused.push_back(why); });
    ::chmod(path.c_str(), 0666);
    const pid_t child = ::fork();
    if (child == 0) {
        if (::setuid(65534) != 0) ::_exit(1);
        try {
            auto socket = wire::LocalSocket::connect(path, patient(2s));
            socket.send(wire::to_frame(
                wire::FromLocal{wire::RankHello{core::GroupId{1}, core::Rank{0}, 1}}));
            socket.receive(patient(5s));
        } catch (const SystemError&) {
            ::_exit(0);  // closed
        }
        ::_exit(2);
    }
    int status = -1;
    pid_t ended = 0;
    for (const auto end = std::chrono::steady_clock::now() + patient(10s);
         ended == 0 && std::chrono::steady_clock::now() < end;) {
        io.run_for(10ms);
        ended = ::waitpid(child, &status, WNOHANG);
    }
    ASSERT_EQ(ended, child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(firsts, 0);
    ASSERT_EQ(refused.size(), 1u);
    EXPECT_NE(refused[0].find("65534"), std::string::npos);
    std::filesystem::remove_all(directory);
}

TEST(RuntimeDirectory, DirectoryOpenToOthersIsRefused) {
    const auto base =
        std::filesystem::temp_directory_path() / ("ductile-run-" + std::to_string(::getpid()));
    std::filesystem::create_directory(base);
    const char* before = std::getenv("XDG_RUNTIME_DIR");
    const std::string kept = before ? before : "";
    ::setenv("XDG_RUNTIME_DIR", base.c_str(), 1);
    const auto ours = base / ("ductile-" + std::to_string(::geteuid()));
    std::filesystem::create_directory(ours);
    ::chmod(ours.c_str(), 0755);
    EXPECT_THROW(agent::RuntimeDirectory("a.0.1"), SystemError);
    ::chmod(ours.c_str(), 0700);
    {
        const agent::RuntimeDirectory directory("a.0.1");
        EXPECT_EQ(directory.path(), (ours / "a.0.1").string());
        struct stat found {};
        ASSERT_EQ(::stat(directory.path().c_str(), &found), 0);
        EXPECT_EQ(found.st_mode & 0777, 0700u);
    }
    EXPECT_FALSE(std::filesystem::exists(ours));
    {
        const agent::RuntimeDirectory alive("alive.0.1");
        asio::io_context io;
        agent::LocalServer server(
            io, alive.socket_path(), [](const auto&, const auto&, auto) {}, [](const auto&) {});
        const auto make = [&](const std::string& name) {
            os::PrivateDirectory::make((ours / name).string()).set_mark();
        };
        make("dead");
        {
            asio::local::stream_protocol::acceptor left(io,
                                                        (ours / "dead" / "broker.sock").string());
        }
        agent::remove_dead_directories(std::chrono::seconds(60));
        EXPECT_TRUE(std::filesystem::exists(ours / "dead")) << "it may be about to live";
        agent::remove_dead_directories(std::chrono::seconds(0));
        EXPECT_FALSE(std::filesystem::exists(ours / "dead"));
        std::filesystem::create_directory(ours / "unmarked");
        ::chmod((ours / "unmarked").c_str(), 0700);
        make("job");
        const auto journal = agent::journal_in(ours / "job");
        std::ofstream(journal) << "a journal";
        const auto made = [](const std::string& path, std::chrono::hours ago) {
            std::filesystem::last_write_time(path,
                                             std::filesystem::file_time_type::clock::now() - ago);
        };
        made(ours / "job", std::chrono::hours(24 * 30));
        agent::remove_dead_directories(std::chrono::seconds(0));
        EXPECT_TRUE(std::filesystem::exists(journal)) << "its job may be taken over";
        made(journal, std::chrono::hours(24 * 8));
        agent::remove_dead_directories(std::chrono::seconds(0));
        EXPECT_FALSE(std::filesystem::exists(ours / "job"));
        EXPECT_TRUE(std::filesystem::exists(alive.path()));
        EXPECT_TRUE(std::filesystem::exists(ours / "unmarked")) << "Ductile did not make it";
        std::filesystem::remove(ours / "unmarked");
    }
    std::filesystem::create_directory_symlink("/tmp", ours);
    EXPECT_THROW(agent::RuntimeDirectory("a.0.1"), SystemError);
    if (before)
        ::setenv("XDG_RUNTIME_DIR", kept.c_str(), 1);
    else
        ::unsetenv("XDG_RUNTIME_DIR");
    std::filesystem::remove_all(base);
}

}  // namespace
}  // namespace ductile::test::local_server_test
