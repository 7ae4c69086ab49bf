// The power of hosts from a program of the user: what it reports, and what it does wrong.
#include "broker/power_program.hpp"

#include <gtest/gtest.h>

#include <asio/io_context.hpp>
#include <chrono>

#include "broker/power_lines_json.hpp"
#include "ductile/error.hpp"

namespace ductile::broker::power_program_test {
namespace {

TEST(PowerLines, AreRead) {
    const auto line = parse_power(R"({"type": "power", "host": "node1", "watts": 312.5})");
    EXPECT_EQ(line.host, "node1");
    EXPECT_EQ(line.watts, 312.5);
    EXPECT_EQ(hosts_line({"a", "b\"c"}), R"({"hosts":["a","b\"c"],"type":"hosts"})");
}

TEST(PowerLines, AreRefusedByTheirField) {
    const std::pair<std::string, std::string> table[] = {
        {R"({"type": "power", "host": "a", "watts": -1})",
         "power.watts is not between 0.0 and 1000000.0"},
        {R"({"type": "power", "host": "a", "watts": "5"})", "power.watts is not a number"},
        {R"({"type": "power", "watts": 5})", "host"},
        {R"({"type": "energy", "host": "a", "watts": 5})", "energy"},
        {"5", "it has no type"},
        {"", "the line"},
    };
    for (const auto& [line, why] : table) {
        try {
            parse_power(line);
            ADD_FAILURE() << line;
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
        }
    }
}

class PowerProgramTest : public ::testing::Test {
  protected:
    /// A shell script.
    PowerProgram program(const std::string& script) {
        return {io_,
                {"/bin/sh", "-c", script},
                "/",
                {[this](const std::string& host, double watts) { power_[host] = watts; },
                 [this](const std::string& why) { failed_ = why; }}};
    }
    template <class Condition>
    void run_until(Condition condition) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        io_.restart();
        while (!condition() && std::chrono::steady_clock::now() < end)
            if (io_.run_one_until(end) == 0) io_.restart();
        EXPECT_TRUE(condition());
    }

    asio::io_context io_;
    std::map<std::string, double> power_;
    std::string failed_;
};

constexpr auto answers =
    R"(while read line; do case $line in *'"b"'*) host=b;; *) host=a;; esac; n=$((n+7)); )"
    R"(echo '{"type": "power", "host": "'$host'", "watts": '$n'}'; done)";

TEST_F(PowerProgramTest, ReportsHostsThatItIsTold) {
    auto meter = program(answers);
    meter.watch({"a"});
    run_until([&] { return power_["a"] == 7; });
    meter.watch({"a"});  // nothing new
    meter.watch({"b"});
    run_until([&] { return power_["b"] == 14; });
    EXPECT_EQ(failed_, "");
}

TEST_F(PowerProgramTest, IsStartedAgainAfterItsEnd) {
    auto meter = program("echo tired >&2; exit 3");
    for (int run = 0; run < 2; ++run) {
        failed_.clear();
        meter.watch({"a"});
        run_until([&] { return !failed_.empty(); });
        EXPECT_NE(failed_.find("has failed: it has ended (exit code 3: tired)"), std::string::npos)
            << failed_;
    }
}

TEST_F(PowerProgramTest, AWrongLineEndsIt) {
    auto meter = program("echo '{}'; exec sleep 100");
    meter.watch({"a"});
    run_until([&] { return !failed_.empty(); });
    EXPECT_NE(failed_.find("has failed: line 1: "), std::string::npos) << failed_;
}

TEST_F(PowerProgramTest, ALongLineEndsIt) {
    auto meter = program("head -c 5000 /dev/zero | tr '\\0' x; exec sleep 100");
    meter.watch({"a"});
    run_until([&] { return !failed_.empty(); });
    EXPECT_NE(failed_.find("line 1: longer than 4096 bytes"), std::string::npos) << failed_;
}

TEST_F(PowerProgramTest, AProgramThatIsNotThereFails) {
    PowerProgram meter(
        io_, {"/no/such/program"}, "/",
        {[](const std::string&, double) {}, [this](const std::string& why) { failed_ = why; }});
    meter.watch({"a"});
    run_until([&] { return !failed_.empty(); });
    EXPECT_NE(failed_.find("/no/such/program"), std::string::npos) << failed_;
}

}  // namespace
}  // namespace ductile::broker::power_program_test
