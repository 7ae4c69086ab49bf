// How fast do the executors (the ways to move data) move the data of a resize, compared with the
// MPI_Alltoallv that a program would call itself, with one message, and with memcpy? And do they
// send more bytes than necessary?
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "build_info.hpp"
#include "cli/costs_file.hpp"
#include "common/other_run.hpp"
#include "common/report.hpp"
#include "ductile/error.hpp"
#include "mpi/capabilities.hpp"
#include "plan/executor_choice.hpp"

using namespace ductile::bench;

namespace {

constexpr double most_sent = 1.02;         ///< goal: bytes sent, over the bytes that must be sent
constexpr double most_of_plain = 1.1;      ///< goal: time of `auto`, over that of MPI_Alltoallv
constexpr double least_of_memcpy = 0.8;    ///< goal: speed over that of memcpy, on one rank
constexpr double least_of_message = 0.95;  ///< goal: speed over that of one message, on one host

/// A measurement by build/bench/redistribution_moves.
struct Case {
    std::string kind;  ///< "resize", "pair"
    int sources = 1, targets = 1;
    std::int64_t mebibytes = 1;
    std::string rule = "block";

    [[nodiscard]] int ranks() const { return std::max({sources, targets, kind == "pair" ? 2 : 1}); }
    [[nodiscard]] std::string name() const {
        const auto sizes =
            kind == "pair" ? "rank to rank" : fmt::format("{}->{}", sources, targets);
        return fmt::format("{} {} {} MiB", sizes, rule, mebibytes);
    }
};

struct Choice {
    std::vector<std::pair<int, int>> sizes{{1, 2}, {2, 4}, {1, 4}, {4, 2}, {2, 1}};
    std::vector<std::int64_t> mebibytes{1, 16, 256, 1024};
    std::vector<std::string> rules{"block", "cyclic", "columns"};
    std::vector<std::string> executors{"p2p", "alltoallv", "rma-lock", "rma-lockall", "auto"};
    std::vector<ductile::plan::MoveCost> costs;  ///< by which `auto` chooses
};

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin <= list.size();) {
        const auto end = std::min(list.find(',', begin), list.size());
        words.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

nlohmann::json measured(const Place& place, const Case& a_case,
                        const std::vector<std::string>& ways, int repeat) {
    std::vector<std::string> program{beside("redistribution_moves"),
                                     a_case.kind,
                                     std::to_string(a_case.sources),
                                     std::to_string(a_case.targets),
                                     std::to_string(a_case.mebibytes << 20),
                                     a_case.rule,
                                     std::to_string(repeat)};
    program.insert(program.end(), ways.begin(), ways.end());
    const Shape shape{1, a_case.ranks()};
    auto command = place.other(shape, shape, program);
    command.deadline = std::chrono::minutes(5 * std::max<std::int64_t>(1, a_case.mebibytes / 256));
    std::fprintf(stderr, "%s\n", a_case.name().c_str());
    const auto result = ductile::rms::run_command(command);
    auto told = nlohmann::json::parse(result.out, nullptr, false);
    if (!result.succeeded() || !told.is_object())
        throw ductile::SystemError(fmt::format("{} failed: {}: {}{}", a_case.name(),
                                               how_it_ended(command, result), result.out,
                                               result.err));
    return told;
}

Row row_of(const Case& a_case, const nlohmann::json& told, const std::string& way,
           const std::string& other) {
    const auto& ways = told.at("ways");
    return {a_case.name(),
            way,
            ways.at(way).at("s"),
            ways.at(other).at("s"),
            other == "plain" ? "MPI_Alltoallv" : other,
            {}};
}

void expect_bytes(Row& row, const nlohmann::json& told) {
    const auto bound = told.at("bound_bytes").get<double>();
    const auto sent = told.at("ways").at(row.measure).at("bytes_sent").get<double>();
    row.targets.push_back(
        {"bytes sent / bound", Bound::at_most, most_sent, bound > 0 ? sent / bound : 1 + sent});
}

// The executor that the ranks of a job would choose at the resize point.
std::string chosen_by_auto(const Choice& choice, const Case& a_case) {
    const auto bytes = static_cast<double>(a_case.mebibytes << 20);
    return std::string(ductile::plan::to_string(ductile::plan::choose_executor(
        choice.costs, ductile::plan::move_shape(a_case.sources, a_case.targets, bytes))));
}

void measure_executors(const Place& place, const Choice& choice, const Case& a_case, int repeat,
                       Report& report) {
    const auto chosen = chosen_by_auto(choice, a_case);
    std::vector<std::string> ways;
    for (const auto& executor : choice.executors) {
        const auto& way = executor == "auto" ? chosen : executor;
        if (std::ranges::find(ways, way) == ways.end()) ways.push_back(way);
    }
    ways.emplace_back("plain");
    const auto told = measured(place, a_case, ways, repeat);
    for (const auto& executor : choice.executors) {
        const bool is_auto = executor == "auto";
        auto row = row_of(a_case, told, is_auto ? chosen : executor, "plain");
        expect_bytes(row, told);
        row.measure = executor;
        if (is_auto) {
            row.expect_ratio(most_of_plain);
            report.details["auto"][a_case.name()] = chosen;
        }
        report.rows.push_back(row);
    }
}

// The costs that `ductile run --redistribution auto` would use.
std::vector<ductile::plan::MoveCost> costs_in(const std::string& file) {
    const auto mpi =
        ductile::mpi::in_a_job(ductile::mpi::known_capabilities(build_info::mpi_version_text));
    return (file.empty() ? ductile::cli::costs_of_this_user(mpi)
                         : ductile::cli::read_costs(file, mpi))
        .moves;
}

void measure_borders(const Place& place, std::int64_t mebibytes, int repeat, Report& report) {
    const Case stays{"resize", 1, 1, mebibytes};
    auto kept = row_of(stays, measured(place, stays, {"p2p", "memcpy"}, repeat), "p2p", "memcpy");
    report.rows.push_back(kept.expect_speedup(least_of_memcpy));
    const Case pair{"pair", 1, 1, mebibytes};
    auto sent = row_of(pair, measured(place, pair, {"p2p", "send"}, repeat), "p2p", "send");
    report.rows.push_back(sent.expect_speedup(least_of_message));
}

Choice choice_of(const std::string& sizes, const std::string& mebibytes, const std::string& rules,
                 const std::string& executors) {
    Choice choice;
    if (!sizes.empty()) choice.sizes.clear();
    for (const auto& pair : sizes.empty() ? std::vector<std::string>{} : split(sizes)) {
        const auto colon = pair.find(':');
        if (colon == std::string::npos)
            throw ductile::InputError("--sizes: '" + pair + "' is not SOURCES:TARGETS");
        choice.sizes.emplace_back(std::stoi(pair.substr(0, colon)),
                                  std::stoi(pair.substr(colon + 1)));
    }
    if (!mebibytes.empty()) choice.mebibytes.clear();
    for (const auto& one : mebibytes.empty() ? std::vector<std::string>{} : split(mebibytes))
        choice.mebibytes.push_back(std::stoll(one));
    if (!rules.empty()) choice.rules = split(rules);
    if (!executors.empty()) choice.executors = split(executors);
    return choice;
}

void measure(const Place& place, const Choice& choice, int repeat, Report& report) {
    for (const auto mebibytes : choice.mebibytes) {
        measure_borders(place, mebibytes, repeat, report);
        for (const auto& rule : choice.rules)
            for (const auto& [sources, targets] : choice.sizes)
                measure_executors(place, choice, {"resize", sources, targets, mebibytes, rule},
                                  repeat, report);
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::string sizes, mebibytes, rules, executors, costs;
    const auto options = read_options(
        argc, argv,
        "Measures how fast the data of a resize moves on one host: by each executor, "
        "MPI_Alltoallv, one message, and memcpy",
        {{"--sizes", "pairs SOURCES:TARGETS, in ranks (default: 1:2,2:4,1:4,4:2,2:1)", &sizes},
         {"--mebibytes", "sizes of the array, in MiB (default: 1,16,256,1024)", &mebibytes},
         {"--rules", "rules of distribution: block, cyclic, columns (default: all)", &rules},
         {"--executors", "executors: p2p, alltoallv, rma-lock, rma-lockall, auto (default: all)",
          &executors},
         {"--costs",
          "file of the costs by which `auto` chooses (default: the file that `ductile calibrate` "
          "has written)",
          &costs}});
    try {
        auto choice = choice_of(sizes, mebibytes, rules, executors);
        choice.costs = costs_in(costs);
        const Place place(false);  // the ranks are on one host
        Report report{
            "Time to move one array of 8-byte elements, memory for the new parts included",
            {},
            {{"repeat", options.repeat}},
            {}};
        measure(place, choice, options.repeat, report);
        publish(report, options);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench/redistribution: {}\n", error.what());
        return 1;
    }
}
