// Each benchmark runs once and writes the rows that it promises.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "build_info.hpp"
#include "cli/costs_file.hpp"
#include "mpi/capabilities.hpp"
#include "rms/command.hpp"

namespace ductile::bench::smoke_test {
namespace {

using namespace std::chrono_literals;
using Rows = std::set<std::pair<std::string, std::string>>;

rms::CommandResult run(const std::vector<std::string>& arguments) {
    rms::Command command;
    command.arguments = arguments;
    command.environment = rms::current_environment();
    command.deadline = 200s;
    return rms::run_command(command);
}

/// Runs the benchmark `name` and checks its rows. Sets `report` to what it wrote, or to null if the
/// test is skipped.
void expect_rows(const std::string& name, const std::string& where, const Rows& expected,
                 const std::vector<std::string>& more, nlohmann::json& report) {
    const std::string json = std::filesystem::temp_directory_path() /
                             ("ductile-smoke-" + std::to_string(::getpid()) + ".json");
    const std::string program = std::string(DUCTILE_TEST_BENCH_DIR) + "/" + name;
    std::vector<std::string> words{program, "--repeat", "1", where, "--json", json};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = run(words);
    if (where == "--cluster" && result.err.find("cannot make virtual hosts") != std::string::npos)
        GTEST_SKIP() << result.err;
    ASSERT_TRUE(result.succeeded()) << result.out << result.err;
    std::ifstream file(json);
    report = nlohmann::json::parse(file);
    std::filesystem::remove(json);
    Rows found;
    for (const auto& row : report.at("rows")) {
        found.emplace(row.at("case"), row.at("measure"));
        EXPECT_GT(row.at("ours").get<double>(), 0) << row;
        EXPECT_GT(row.at("other").get<double>(), 0) << row;
        EXPECT_DOUBLE_EQ(row.at("ratio").get<double>(),
                         row.at("ours").get<double>() / row.at("other").get<double>());
        EXPECT_EQ(row.at("ours_samples_s").size(), 1u);
    }
    EXPECT_EQ(found, expected);
    EXPECT_FALSE(report.at("machine").at("processor").get<std::string>().empty());
    EXPECT_FALSE(report.at("versions").at("mpi").get<std::string>().empty());
    EXPECT_EQ(report.at("options").at("repeat"), 1);
}

void expect_rows(const std::string& name, const std::string& where, const Rows& expected) {
    nlohmann::json report;
    expect_rows(name, where, expected, {}, report);
}

const Rows expand{{"1->4", "stall"}, {"1->4", "lost"},  {"1->4", "total"}, {"2->8", "stall"},
                  {"2->8", "lost"},  {"2->8", "total"}, {"1->5", "cpu"},   {"4 ranks", "run"}};
const Rows shrink{{"2->1", "stall"},
                  {"2->1", "total"},
                  {"4->1", "stall"},
                  {"4->1", "total"},
                  {"8->2", "stall"},
                  {"8->2", "total"},
                  {"16->4", "stall"},
                  {"16->4", "total"},
                  {"16->12, a rank of each host", "stall"},
                  {"16->12, a rank of each host", "total"}};
const Rows resize_point{{"8 ranks", "call"}, {"1->4", "slowest call"}, {"2->8", "slowest call"}};

// One sample of each strategy, for one pair of sizes.
void expect_cells(const std::string& where) {
    const auto folder = std::filesystem::temp_directory_path();
    const auto base = folder / ("ductile-smoke-" + std::to_string(::getpid()));
    const std::string json = base.string() + ".json", csv = base.string() + ".csv";
    const auto result =
        run({std::string(DUCTILE_TEST_BENCH_DIR) + "/process_management", "--repeat", "1", where,
             "--pairs", "1:2", "--hosts", "2", "--per-host", "1", "--json", json, "--csv", csv});
    if (where == "--cluster" && result.err.find("cannot make virtual hosts") != std::string::npos)
        GTEST_SKIP() << result.err;
    ASSERT_TRUE(result.succeeded()) << result.out << result.err;
    std::ifstream file(json), table(csv);
    const auto report = nlohmann::json::parse(file);
    const auto lines = std::count(std::istreambuf_iterator<char>(table), {}, '\n');
    std::filesystem::remove(json);
    std::filesystem::remove(csv);
    EXPECT_TRUE(report.at("failures").empty()) << report.at("failures");
    // 20 ways to grow; 10 ways to shrink by baseline, and 1 by merge.
    EXPECT_EQ(report.at("cells").size(), 31u);
    EXPECT_EQ(lines, 32);
    for (const auto& cell : report.at("cells")) {
        EXPECT_EQ(cell.at("samples"), 1) << cell;
        EXPECT_GT(cell.at("median").at("total_s").get<double>(), 0) << cell;
    }
    EXPECT_FALSE(report.at("best").at("1->2").at("total").empty());
    EXPECT_FALSE(report.at("best").at("2->1").at("lost").empty());
}

/// The counts do not depend on the machine. `centralized` sends as many messages as its simulation.
/// For `balance` the simulation also counts messages of a process to itself, which are not sent.
void expect_groups(const std::string& where) {
    Rows expected;
    for (const std::string fraction : {"0.01", "0.1", "0.3", "0.6", "0.9", "0.99"})
        for (const std::string way :
             {"automatic", "automatic, by host", "balance", "centralized", "create_group", "hash"})
            expected.emplace("4 ranks, " + fraction + " in it, " + way, "building");
    for (const std::string operation :
         {"barrier", "broadcast of 8 bytes", "broadcast of 65536 bytes",
          "broadcast of 4194304 bytes", "allreduce of 8 bytes", "allreduce of 65536 bytes",
          "allreduce of 4194304 bytes"})
        for (const std::string tree : {"", ", tree by host"})
            expected.emplace("4 ranks, " + operation + tree, "operation");
    nlohmann::json report;
    expect_rows("process_groups", where, expected, {"--ranks", "4"}, report);
    if (report.is_null()) return;
    const auto& found = report.at("details").at("4 ranks");
    EXPECT_EQ(found.at("alive").at("groups"), 10000);
    EXPECT_LE(found.at("alive").at("bytes_a_process"), 256);
    int compared = 0;
    for (const auto& row : found.at("critical_paths")) {
        const auto way = row.at("way").get<std::string>();
        if (way == "centralized") {
            EXPECT_EQ(row.at("messages"), row.at("messages_simulated"));
        }
        if (way == "balance") {
            EXPECT_LE(row.at("messages"), row.at("messages_simulated"));
        }
        compared += row.contains("messages_simulated") ? 1 : 0;
    }
    EXPECT_EQ(compared, 6 * 3);
}

TEST(Smoke, local_process_groups) {
    expect_groups("--local");
}
TEST(Smoke, cluster_process_groups) {
    expect_groups("--cluster");
}
TEST(Smoke, local_process_management) {
    expect_cells("--local");
}
TEST(Smoke, cluster_process_management) {
    expect_cells("--cluster");
}
TEST(Smoke, local_expand) {
    expect_rows("expand", "--local", expand);
}
TEST(Smoke, local_redistribution) {
    Rows expected;
    for (const std::string size : {"1 MiB", "16 MiB"}) {
        expected.emplace("1->1 block " + size, "p2p");
        expected.emplace("rank to rank block " + size, "p2p");
        for (const std::string rule : {"block", "cyclic"})
            for (const auto* executor : {"p2p", "alltoallv", "auto"})
                expected.emplace("1->2 " + rule + " " + size, executor);
    }
    const auto costs = (std::filesystem::temp_directory_path() /
                        ("ductile-smoke-costs-" + std::to_string(::getpid()) + ".json"))
                           .string();
    plan::CostModel model;  // with it, p2p is slow for much data, alltoallv for little
    model.moves = {{plan::Executor::p2p, 0, 0, 1}, {plan::Executor::alltoallv, 5, 0, 0}};
    cli::write_costs(costs, model,
                     mpi::in_a_job(mpi::known_capabilities(build_info::mpi_version_text)));
    nlohmann::json report;
    expect_rows("redistribution", "--local", expected,
                {"--sizes", "1:2", "--mebibytes", "1,16", "--rules", "block,cyclic", "--executors",
                 "p2p,alltoallv,auto", "--costs", costs},
                report);
    std::filesystem::remove(costs);
    const auto& chosen = report.at("details").at("auto");
    EXPECT_EQ(chosen.at("1->2 cyclic 1 MiB"), "p2p");
    EXPECT_EQ(chosen.at("1->2 cyclic 16 MiB"), "alltoallv");
}

TEST(Smoke, local_shrink) {
    expect_rows("shrink", "--local", shrink);
}
TEST(Smoke, local_resize_point) {
    expect_rows("resize_point", "--local", resize_point);
}
TEST(Smoke, cluster_expand) {
    expect_rows("expand", "--cluster", expand);
}
TEST(Smoke, cluster_shrink) {
    expect_rows("shrink", "--cluster", shrink);
}
TEST(Smoke, cluster_resize_point) {
    expect_rows("resize_point", "--cluster", resize_point);
}

}  // namespace
}  // namespace ductile::bench::smoke_test
