// How expensive are process groups, compared with MPI's communicators: to make them, to keep them,
// and to use their operations?
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstdio>
#include <exception>
#include <sstream>

#include "common/other_run.hpp"
#include "common/place.hpp"
#include "common/report.hpp"
#include "ductile/error.hpp"
#include "sim/group_build.hpp"

using namespace ductile::bench;
using nlohmann::json;

namespace {

constexpr double longest_building = 1.5;  // goal: time over that of MPI_Comm_split, 8 ranks
constexpr double most_bytes = 256;        // goal: bytes that a process holds for a group
constexpr int many = 10000;
constexpr int branching = 4;  // GroupOptions' default

/// `automatic` chooses one of these, and then sends the same messages.
const std::vector<std::pair<std::string, ductile::tree::Method>> methods{
    {"centralized",
     {ductile::tree::Algorithm::centralized, ductile::tree::Filler::none, branching}},
    {"balance",
     {ductile::tree::Algorithm::shrink_and_balance, ductile::tree::Filler::leaf, branching}},
    {"hash", {ductile::tree::Algorithm::shrink_and_hash, ductile::tree::Filler::none, branching}}};

std::vector<int> sizes_in(const std::string& text) {
    std::vector<int> sizes;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        int ranks = 0;
        const auto* const end = word.data() + word.size();
        if (std::from_chars(word.data(), end, ranks).ptr != end || ranks < 4 || ranks > 64 ||
            ranks % 4 != 0)
            throw ductile::InputError("--ranks holds '" + word +
                                      "', not multiples of 4 up to 64 (as 8,64)");
        sizes.push_back(ranks);
    }
    return sizes;
}

json run_on(const Place& place, int ranks, int repeat, bool alive) {
    const Shape shape{4, ranks / 4};
    auto command =
        place.other(shape, shape, {beside("programs/group_operations"), std::to_string(repeat)});
    if (alive) command.arguments.emplace_back("alive");
    command.deadline = std::chrono::seconds(600);
    const auto result = ductile::rms::run_command(command);
    auto told = json::parse(result.out, nullptr, false);
    if (!result.succeeded() || !told.is_object())
        throw ductile::SystemError(fmt::format("group_operations failed: {}: {}{}",
                                               how_it_ended(command, result), result.out,
                                               result.err));
    return told;
}

int log2_above(int n) {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(n - 1)));
}

/// The number of messages to make one group: counted, and in a simulation with the same members.
/// And the largest number of messages in a row, each of which waits for the one before. For MPI's
/// functions these numbers are lower bounds: if all ranks must know something from all ranks, 2 n -
/// 2 messages are necessary, ceil(log2 n) of them in a row. MPI_Comm_split needs this twice: it
/// gathers the colours, and it agrees on a context. MPI_Comm_create_group needs it once, among the
/// members.
json critical_paths(const json& told) {
    const int n = told.at("ranks");
    json rows = json::array();
    for (const auto& cell : told.at("building")) {
        const auto members = cell.at("members").get<std::vector<int>>();
        const auto m = static_cast<int>(members.size());
        std::vector<bool> in(static_cast<std::size_t>(n));
        for (const int rank : members) in.at(static_cast<std::size_t>(rank)) = true;
        for (const auto& [way, method] : methods) {
            const auto build = ductile::sim::simulate_build(method, in, {});
            rows.push_back({{"fraction", cell.at("fraction")},
                            {"members", m},
                            {"way", way},
                            {"messages", cell.at("ours").at(way).at("messages")},
                            {"messages_simulated", build.messages},
                            {"in_a_row", build.longest_chain}});
        }
        rows.push_back({{"fraction", cell.at("fraction")},
                        {"members", m},
                        {"way", "MPI_Comm_split, at least"},
                        {"messages", 2 * (2 * n - 2)},
                        {"in_a_row", 2 * log2_above(n)}});
        rows.push_back({{"fraction", cell.at("fraction")},
                        {"members", m},
                        {"way", "MPI_Comm_create_group, at least"},
                        {"messages", 2 * m - 2},
                        {"in_a_row", log2_above(m)}});
    }
    return rows;
}

void add_rows(const json& told, Report& report) {
    const int ranks = told.at("ranks");
    const auto samples = [](const json& s) { return s.get<std::vector<double>>(); };
    for (const auto& cell : told.at("building")) {
        const auto fraction = cell.at("fraction").get<double>();
        for (const auto& [way, ours] : cell.at("ours").items()) {
            Row row{fmt::format("{} ranks, {} in it, {}", ranks, fraction, way),
                    "building",
                    samples(ours.at("s")),
                    samples(cell.at("MPI_Comm_split").at("s")),
                    "MPI_Comm_split",
                    {}};
            // With more ranks than cores the scheduler is measured, not the algorithm.
            if (ranks == 8 && way == "automatic") row.expect_ratio(longest_building);
            report.rows.push_back(std::move(row));
        }
        report.rows.push_back({fmt::format("{} ranks, {} in it, create_group", ranks, fraction),
                               "building",
                               samples(cell.at("ours").at("automatic").at("s")),
                               samples(cell.at("MPI_Comm_create_group").at("s")),
                               "MPI_Comm_create_group",
                               {}});
    }
    for (const auto& operation : told.at("operations")) {
        const auto name = operation.at("operation").get<std::string>();
        for (const auto& [kind, key] :
             {std::pair{"", "ours_s"}, std::pair{", tree by host", "by_host_s"}})
            report.rows.push_back({fmt::format("{} ranks, {}{}", ranks, name, kind),
                                   "operation",
                                   samples(operation.at(key)),
                                   samples(operation.at("other_s")),
                                   "MPI's own",
                                   {}});
    }
    auto& details = report.details[fmt::format("{} ranks", ranks)] = told;
    details["critical_paths"] = critical_paths(told);
}

void print_counts(const json& told) {
    fmt::print("\n{} ranks: messages to make one group\n{:<9} {:>7}  {:<31} {:>8} {:>9} {:>8}\n",
               told.at("ranks").get<int>(), "fraction", "members", "by", "messages", "simulated",
               "in a row");
    for (const auto& row : critical_paths(told))
        fmt::print("{:<9} {:>7}  {:<31} {:>8} {:>9} {:>8}\n", row.at("fraction").get<double>(),
                   row.at("members").get<int>(), row.at("way").get<std::string>(),
                   row.at("messages").get<long>(),
                   row.contains("messages_simulated") ? row.at("messages_simulated").dump() : "",
                   row.at("in_a_row").get<int>());
    if (!told.contains("alive")) return;
    const auto& alive = told.at("alive");
    const auto groups = alive.at("groups").get<int>();
    const auto bytes = alive.at("bytes_a_process").get<double>();
    fmt::print(
        "alive at the same time: {} groups ({}), {} bytes for each in a process ({}; {:.0f} of the "
        "heap), made in "
        "{:.2f} s;\n  {} communicators of MPI, {:.0f} bytes of the heap each\n",
        groups, groups >= many ? "reached" : "not reached", bytes,
        bytes <= most_bytes ? "reached" : "not reached", alive.at("heap_a_group").get<double>(),
        alive.at("seconds").get<double>(), alive.at("communicators").get<int>(),
        alive.at("heap_a_communicator").get<double>());
}

}  // namespace

int main(int argc, char** argv) {
    std::string ranks = "8";
    const auto options = read_options(
        argc, argv,
        "Compares process groups with MPI's communicators: making them, memory, operations",
        {{"--ranks",
          "numbers of ranks, on 4 hosts: multiples of 4 up to 64, such as 8,64 (default: 8); "
          "with the first number, also makes as many groups as can exist at the same time",
          &ranks}});
    try {
        const auto sizes = sizes_in(ranks);
        const auto place = choose_place(options, argc, argv);
        Report report{"Process groups beside MPI's communicators, on " + place.description(),
                      {},
                      {{"repeat", options.repeat}, {"hosts", place.description()}},
                      {}};
        std::vector<json> all;
        for (const int size : sizes) {
            all.push_back(run_on(place, size, options.repeat, all.empty()));
            add_rows(all.back(), report);
        }
        publish(report, options);
        for (const auto& told : all) print_counts(told);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench/process_groups: {}\n", error.what());
        return 1;
    }
}
