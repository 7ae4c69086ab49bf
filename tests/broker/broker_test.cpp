// A broker with agents that live in the test: a job's whole life without MPI and without a rank.
#include "broker/broker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "fake_agents.hpp"
#include "wire/local_socket.hpp"

namespace ductile::broker::broker_test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

JobSpec spec_of(int ranks) {
    JobSpec spec;
    spec.id = "job-of-a-test";
    spec.origin = "{}";
    spec.launch.program = {"/bin/true"};
    spec.launch.directory = "/";
    spec.launch.serves_pmi = true;
    spec.mpi.implementation = "a test";
    spec.mpi.agents_start_ranks = true;
    spec.ranks = {ranks, ranks};
    return spec;
}

struct BrokerTest : testing::Test {
    std::filesystem::path directory;
    FakeAgent::Log log;
    std::map<std::string, std::shared_ptr<FakeAgent>> agents;

    BrokerTest() {
        std::string name = testing::TempDir() + "ductile-broker-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no directory");
        directory = name;
    }
    ~BrokerTest() override { std::filesystem::remove_all(directory); }

    std::unique_ptr<FakeHosts> hosts(int count, int ranks) {
        auto fake = std::make_unique<FakeHosts>(count, log, agents);
        fake->ranks = ranks;
        return fake;
    }
    std::unique_ptr<Broker> broker(int ranks, std::unique_ptr<FakeHosts> hosts) {
        return std::make_unique<Broker>(spec_of(ranks), std::move(hosts), directory.string(),
                                        (directory / "journal").string());
    }
    /// Asks as the `ductile` program does; the last reply.
    [[nodiscard]] wire::Reply ask(const wire::Request& request) const {
        auto socket = wire::LocalSocket::connect((directory / socket_name).string(), 5s);
        socket.send(wire::to_frame(request));
        wire::Reply last;
        try {
            while (const auto json = socket.receive(5s))
                last = std::get<wire::Reply>(wire::decode<wire::Answer>(*json));
        } catch (const SystemError&) {  // the broker closes the connection after its last word
        }
        return last;
    }
    /// The state of the job, when it is this one; else what it was after 10 s.
    [[nodiscard]] nlohmann::json status_when(const std::string& state) const {
        for (int i = 0;; ++i) {
            auto status = nlohmann::json::parse(ask(wire::StatusRequest{}).data);
            if (status.at("state") == state || i == 500) return status;
            std::this_thread::sleep_for(20ms);
        }
    }
    /// Runs the job while `user` asks for things; its exit code.
    int run(Broker& broker, const std::function<void()>& user) {
        auto asking = std::async(std::launch::async, user);
        const int code = broker.run();
        asking.get();
        agents.clear();  // whose connections are of the broker's loop
        return code;
    }
};

TEST_F(BrokerTest, AJobThatFitsNowhereIsRefusedBeforeAnythingStarts) {
    const auto one = broker(3, hosts(2, 3));
    EXPECT_THROW(one->run(), InputError);
    EXPECT_FALSE(one->has_begun());
    EXPECT_TRUE(log.empty());
}

TEST_F(BrokerTest, AllRanksHearThatTheJobRunsAndItEndsWhenTheyDo) {
    const auto one = broker(2, hosts(3, 2));
    const int code = run(*one, [this] {
        const auto status = status_when("running");
        EXPECT_EQ(status.at("ranks"), 2);
        EXPECT_FALSE(status.at("degraded"));
        EXPECT_EQ(status.at("health"), "good");
        EXPECT_EQ(ask(wire::EndRequest{}).kind, wire::ReplyKind::accepted);
    });
    EXPECT_EQ(code, 143);
    for (const auto* line : {"h0: starts 1", "h1: starts 1", "h0: rank 0 of 2", "h1: rank 1 of 2",
                             "h0: ends: ended on request", "h1: ends: ended on request"})
        EXPECT_THAT(log, Contains(line));
    EXPECT_FALSE(agents.contains("h2"));
}

TEST_F(BrokerTest, AShrinkIsAgreedOnAndItsHostIsFreeWhenItIsAnswered) {
    const auto one = broker(3, hosts(3, 3));
    const int code = run(*one, [this] {
        EXPECT_EQ(status_when("running").at("ranks"), 3);
        wire::ResizeRequest smaller;
        smaller.size = core::SizeRange{2, 2};
        smaller.wait = true;
        const auto reply = ask(smaller);
        EXPECT_EQ(reply.kind, wire::ReplyKind::done) << reply.text;
        EXPECT_THAT(reply.text, HasSubstr("3 -> 2 ranks on 2 hosts"));
        const auto status = status_when("running");
        EXPECT_EQ(status.at("ranks"), 2);
        EXPECT_FALSE(status.at("hosts")[2].at("agent"));
        EXPECT_EQ(status.at("resizes").size(), 1u);
        static_cast<void>(ask(wire::EndRequest{}));
    });
    EXPECT_EQ(code, 143);
    EXPECT_THAT(log, Contains("h2: rank 2 leaves"));
    EXPECT_THAT(log, Contains("h2: finishes"));
    EXPECT_THAT(log, Not(Contains("h1: finishes")));
}

TEST_F(BrokerTest, TheSameSizeIsNoResize) {
    const auto one = broker(2, hosts(2, 2));
    run(*one, [this] {
        static_cast<void>(status_when("running"));
        wire::ResizeRequest same;
        same.size = core::SizeRange{2, 2};
        EXPECT_EQ(ask(same).kind, wire::ReplyKind::done);
        EXPECT_EQ(ask(wire::CancelRequest{}).kind, wire::ReplyKind::refused) << "none is pending";
        static_cast<void>(ask(wire::EndRequest{}));
    });
}

TEST_F(BrokerTest, AMembersHostThatIsLostEndsTheJobOnAllOthers) {
    const auto one = broker(2, hosts(2, 2));
    const int code = run(*one, [this] {
        static_cast<void>(status_when("running"));
        agents.at("h1")->die();
    });
    EXPECT_EQ(code, code_lost);
    EXPECT_THAT(log, Contains(HasSubstr("h0: ends: host h1 is lost")));
}

TEST_F(BrokerTest, TheProgramsCodeIsTheJobs) {
    const auto one = broker(2, hosts(2, 2));
    const int code = run(*one, [this] {
        static_cast<void>(status_when("running"));
        agents.at("h0")->end_program(0);
        EXPECT_EQ(status_when("finishing").at("state"), "finishing");
        agents.at("h1")->end_program(7);
    });
    EXPECT_EQ(code, 7);
    EXPECT_THAT(log, Contains("h0: finishes"));
    EXPECT_THAT(log, Contains("h1: finishes"));
}

TEST_F(BrokerTest, AnAgentThatEndsBeforeItConnectsEndsTheStart) {
    auto fake = hosts(1, 1);
    fake->agents_connect = false;
    const auto one = broker(1, std::move(fake));
    EXPECT_EQ(one->run(), code_lost);
}

}  // namespace
}  // namespace ductile::broker::broker_test
