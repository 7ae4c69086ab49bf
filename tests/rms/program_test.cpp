// Hosts from a program: the program in examples/, and programs that end.
#include "rms/program.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "ductile/error.hpp"
#include "event_loop.hpp"
#include "rms/child_process.hpp"

namespace ductile::rms::program_test {
namespace {

namespace fs = std::filesystem;

class ProgramTest : public ::testing::Test {
  protected:
    ProgramTest() : folder(::testing::TempDir() + "program_" + std::to_string(::getpid())) {
        fs::create_directories(folder);
    }
    ~ProgramTest() override { fs::remove_all(folder); }

    std::string file(const std::string& name, const std::string& text) {
        std::ofstream(folder / name) << text;
        return (folder / name).string();
    }
    std::unique_ptr<ResourceManager> started(const std::vector<std::string>& command,
                                             core::Allocation held = {}) {
        auto manager = make_program(
            {command, {}, {"/usr/bin/env", "HOST={host}", "{argv}"}, "job-1", std::move(held)});
        manager->attach(
            io, [this](const HostAnswer& answer) { answers.push_back(answer); },
            [this](const std::string& text) { notices.push_back(text); });
        return manager;
    }
    std::unique_ptr<ResourceManager> pool(const std::string& hosts, core::Allocation held = {}) {
        return started({DUCTILE_PYTHON, DUCTILE_SOURCE_DIR "/examples/host_pool/host_pool.py",
                        file("hosts", hosts)},
                       std::move(held));
    }
    HostAnswer next_answer() {
        EXPECT_TRUE(run_until(io, [this] { return !answers.empty(); })) << "no answer";
        if (answers.empty()) return {};
        auto answer = answers.front();
        answers.erase(answers.begin());
        return answer;
    }

    fs::path folder;
    asio::io_context io;
    std::vector<HostAnswer> answers;
    std::vector<std::string> notices;
};

// --- examples/host_pool

TEST_F(ProgramTest, ThePoolGrantsWhatIsFreeAndTheRestLater) {
    const auto manager = pool("a\nb slots=2  # two\n\nc slots=4\n", {{{"a", 1}}});
    manager->request(RequestId{1}, {1, {3, {}}});
    EXPECT_EQ(next_answer(), (HostAnswer{Granted{RequestId{1}, {{"c", 4}}, true}}));
    manager->request(RequestId{2}, {2, {}});
    EXPECT_EQ(next_answer(), (HostAnswer{Granted{RequestId{2}, {{"b", 2}}, false}}));
    manager->release("a");
    EXPECT_EQ(next_answer(), (HostAnswer{Granted{RequestId{2}, {{"a", 1}}, true}}));
    EXPECT_EQ(notices, std::vector<std::string>{});
}

TEST_F(ProgramTest, ThePoolGrantsWhatItHasAndCancels) {
    const auto manager = pool("a\nb\n", {{{"a", 1}, {"b", 1}}});
    manager->request(RequestId{1}, {3, {}});
    EXPECT_EQ(next_answer(), (HostAnswer{Granted{RequestId{1}, {}, true}}));
    manager->request(RequestId{2}, {1, {1, {"a"}}});
    manager->release("a");
    manager->cancel(RequestId{2});
    EXPECT_EQ(next_answer(), (HostAnswer{Denied{RequestId{2}, "cancelled"}}));
    manager->cancel(RequestId{2});
    EXPECT_EQ(next_answer(), (HostAnswer{Denied{RequestId{2}, "cancelled"}}));
    manager->release("a");
    manager->request(RequestId{3}, {1, {}});
    EXPECT_EQ(next_answer(), (HostAnswer{Granted{RequestId{3}, {{"a", 1}}, true}}));
}

// --- any program

TEST_F(ProgramTest, AProgramThatIsNotThereIsNamed) {
    try {
        started({"/nowhere/pool"});
        ADD_FAILURE() << "started";
    } catch (const NotStarted& error) {
        EXPECT_STREQ(error.what(), "cannot start /nowhere/pool: No such file or directory");
    }
    EXPECT_THROW(started({}), InputError);
}

TEST_F(ProgramTest, OneThatEndsIsStartedAgainAndAskedAgain) {
    // The first process ends when it gets the request. The second grants the requested host.
    const auto mark = (folder / "lived").string();
    const auto manager = started(
        {"/bin/sh", "-c",
         "read hello; read request; echo \"$hello\" >> " + mark + "; [ $(wc -l < " + mark +
             ") = 2 ] || { echo oops >&2; exit 4; }; "
             "echo '{\"type\":\"granted\",\"id\":1,\"hosts\":[{\"name\":\"b\",\"slots\":1}],"
             "\"last\":true}'; read end"},
        {{{"a", 1}}});
    manager->request(RequestId{1}, {1, {}});
    EXPECT_EQ(next_answer(), HostAnswer{Forgotten{}});
    manager->request(RequestId{1}, {1, {}});
    EXPECT_EQ(next_answer(), (HostAnswer{Granted{RequestId{1}, {{"b", 1}}, true}}));
    ASSERT_EQ(notices.size(), 1u);
    EXPECT_EQ(notices[0],
              "the resource manager's program /bin/sh has ended (exit code 4: oops) and is started "
              "again");
    std::ifstream lived(mark);
    std::string first, second;
    std::getline(lived, first), std::getline(lived, second);
    EXPECT_EQ(first, second);
    EXPECT_NE(first.find("\"a\""), std::string::npos);
}

TEST_F(ProgramTest, AfterThreeEndsThereAreNoMoreRequests) {
    const auto manager = started({"/bin/sh", "-c", "exit 1"});
    manager->request(RequestId{1}, {1, {}});
    EXPECT_EQ(next_answer(), HostAnswer{Forgotten{}});
    EXPECT_EQ(next_answer(), HostAnswer{Forgotten{}});
    const auto gone = std::get<Gone>(next_answer());
    const auto denied = std::get<Denied>(next_answer());
    EXPECT_EQ(gone.reason, denied.reason);
    EXPECT_EQ(denied.id, RequestId{1});
    EXPECT_NE(denied.reason.find("has ended 3 times within a minute"), std::string::npos);
    EXPECT_EQ(notices.size(), 3u);
    manager->request(RequestId{2}, {1, {}});
    EXPECT_EQ(next_answer(), (HostAnswer{Denied{RequestId{2}, denied.reason}}));
    manager->release("a");
}

TEST_F(ProgramTest, BadLinesAreShownAndDropped) {
    const auto manager =
        started({"/bin/sh", "-c",
                 "printf 'hello\\033\\n{\"type\":\"denied\",\"id\":1,\"reason\":\"no\"}\\n'; cat"});
    EXPECT_EQ(next_answer(), (HostAnswer{Denied{RequestId{1}, "no"}}));
    ASSERT_GE(notices.size(), 1u);
    EXPECT_EQ(notices[0],
              "/bin/sh, line 1: the line is not JSON, or nested too deep; the line is dropped");
}

TEST_F(ProgramTest, ItHearsAllBeforeItsInputEnds) {
    const auto heard = (folder / "heard").string();
    auto manager = started({"/bin/sh", "-c", "cat > " + heard});
    manager->release("a");
    manager.reset();
    std::ifstream in(heard);
    std::string hello, release;
    std::getline(in, hello), std::getline(in, release);
    EXPECT_NE(hello.find("\"hello\""), std::string::npos);
    EXPECT_EQ(release, R"({"host":"a","type":"release"})");
}

TEST_F(ProgramTest, AgentsAreStartedByTheRemoteShell) {
    const auto manager = started({"/bin/cat"}, {{{"a", 1}}});
    EXPECT_TRUE(manager->takes_back());
    std::optional<std::string> said;
    const auto agent =
        manager->start_agent(io, "later", {"/bin/sh", "-c", "read line; echo $HOST $line >&2"},
                             "secret", [&said](int, const std::string& text) { said = text; });
    ASSERT_TRUE(run_until(io, [&said] { return said.has_value(); }));
    EXPECT_EQ(*said, "later secret");
}

}  // namespace
}  // namespace ductile::rms::program_test
