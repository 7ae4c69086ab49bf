// Decisions from a program of the user: what it answers, and what it does wrong.
#include "broker/policy_program.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <asio/io_context.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "ductile/error.hpp"

namespace ductile::broker::policy_program_test {
namespace {

using namespace std::chrono_literals;

class PolicyProgramTest : public ::testing::Test {
  protected:
    void SetUp() override {
        asked_.job.ranks = 2;
        asked_.job.hosts.resize(2);
    }
    /// The program is a shell script.
    void use(const std::string& script, std::chrono::milliseconds within = 20s) {
        const auto path = ::testing::TempDir() + "policy_" + std::to_string(::getpid()) + ".sh";
        std::ofstream(path) << script << "\n";
        program_ = std::make_unique<PolicyProgram>(
            io_, PolicyProgram::Settings{{"/bin/sh", path}, "/", "job-1", within});
        name_ = "/bin/sh " + path;
    }
    void TearDown() override {
        program_.reset();
        if (!name_.empty()) std::filesystem::remove(name_.substr(std::strlen("/bin/sh ")));
    }
    std::string ask() {
        std::optional<PolicyAnswer> said;
        program_->ask(asked_, [&](const PolicyAnswer& answer) { said = answer; });
        const auto end = std::chrono::steady_clock::now() + 20s;
        io_.restart();
        while (!said && std::chrono::steady_clock::now() < end)
            if (io_.run_one_until(end) == 0) io_.restart();
        if (!said) return "no answer";
        if (const auto* none = std::get_if<NoDecision>(&*said)) return none->why;
        const auto& decision = std::get<policy::Decision>(*said);
        return decision.ranks ? std::to_string(*decision.ranks) : "stays";
    }

    asio::io_context io_;
    PolicyQuestion asked_;
    std::string name_;
    std::unique_ptr<PolicyProgram> program_;
};

TEST_F(PolicyProgramTest, OneRunAnswersAllQuestions) {
    use("read hello; n=0; while read question; do n=$((n+1)); "
        "echo '{\"type\": \"decision\", \"id\": '$n', \"ranks\": '$((n+4))'}'; done");
    EXPECT_EQ(program_->name(), name_);
    EXPECT_EQ(ask(), "5");
    EXPECT_EQ(ask(), "6");
    EXPECT_EQ(ask(), "7");
}

TEST_F(PolicyProgramTest, AProgramThatEndsIsStartedByTheNextQuestion) {
    use("read hello; read question; case $question in *'\"id\":1,'*) echo so >&2; echo sorry >&2; "
        "exit 3;; "
        "esac; "
        "echo '{\"type\": \"decision\", \"id\": 2}'; read question");
    EXPECT_EQ(ask(),
              "the policy's program has failed: " + name_ + " has ended (exit code 3: so sorry)");
    EXPECT_EQ(ask(), "stays");
}

TEST_F(PolicyProgramTest, AProgramThatIsNotThereFails) {
    program_ = std::make_unique<PolicyProgram>(
        io_, PolicyProgram::Settings{{"/no/such/program"}, {}, "job-1", 20s});
    EXPECT_NE(ask().find("/no/such/program"), std::string::npos);
    EXPECT_NE(ask().find("/no/such/program"), std::string::npos);
}

TEST_F(PolicyProgramTest, AProgramThatDoesNotAnswerIsKilled) {
    use("read hello; read question; case $question in *'\"id\":1,'*) exec sleep 100;; esac; "
        "echo '{\"type\": \"decision\", \"id\": 1, \"ranks\": 5}'; "
        "echo '{\"type\": \"decision\", \"id\": 2, \"ranks\": 6}'; read question",
        2s);
    EXPECT_NE(ask().find("has not answered within 2 s"), std::string::npos);
    const auto next = ask();  // this may also report the end of the first program
    EXPECT_TRUE(next == "6" || next.find("has ended (signal 9)") != std::string::npos) << next;
}

TEST_F(PolicyProgramTest, AFloodIsEnded) {
    const auto starts = ::testing::TempDir() + "starts_" + std::to_string(::getpid());
    use("echo x >> " + starts + "; exec yes");
    EXPECT_NE(ask().find("the policy's program has failed"), std::string::npos);
    io_.restart();
    io_.run_for(100s);  // returns when the program has been killed
    EXPECT_NE(ask().find("the policy's program has failed"), std::string::npos);
    EXPECT_EQ(std::filesystem::file_size(starts), 4) << "it is started by the next question";
    program_.reset();
    std::filesystem::remove(starts);
}

TEST_F(PolicyProgramTest, ABadLineNamesItsPlace) {
    use("read hello; read question; echo '{\"type\": \"decision\", \"id\": 1, \"ranks\": -5}'; "
        "read question; head -c 70000 /dev/zero | tr '\\0' x; read question; "
        "echo; echo '{\"type\": \"decision\", \"id\": 3, \"ranks\": 6}'; read question");
    EXPECT_NE(ask().find(name_ + ", line 1: message refused: decision.ranks is -5"),
              std::string::npos);
    EXPECT_NE(ask().find(name_ + ", line 2: longer than 64 KiB"), std::string::npos);
    EXPECT_EQ(ask(), "6");
}

}  // namespace
}  // namespace ductile::broker::policy_program_test
