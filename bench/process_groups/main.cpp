// What do process groups cost beside MPI's communicators: to make, to keep, and in their
// operations?
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <sstream>

#include "common/other_run.hpp"
#include "common/place.hpp"
#include "common/report.hpp"
#include "ductile/error.hpp"

using namespace ductile::bench;
using nlohmann::json;

namespace {

constexpr double longest_building = 1.5;  // of MPI_Comm_split's time, in the median, at 8 ranks
constexpr double most_bytes = 256;        // that a process holds for a group
constexpr int many = 10000;

std::vector<int> sizes_in(const std::string& text) {
    std::vector<int> sizes;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        const int ranks = std::atoi(word.c_str());
        if (ranks < 4 || ranks > 64 || ranks % 4 != 0)
            throw ductile::InputError("--ranks holds '" + word +
                                      "', not multiples of 4 up to 64 (as 8,64)");
        sizes.push_back(ranks);
    }
    return sizes;
}

json run_on(const Place& place, int ranks, int repeat) {
    const Shape shape{4, ranks / 4};
    auto command =
        place.other(shape, shape, {beside("programs/group_operations"), std::to_string(repeat)});
    command.deadline = std::chrono::seconds(600);
    const auto result = ductile::rms::run_command(command);
    const auto told = json::parse(result.out, nullptr, false);
    if (!result.succeeded() || !told.is_object())
        throw ductile::SystemError(fmt::format("group_operations failed: {}: {}{}",
                                               how_it_ended(command, result), result.out,
                                               result.err));
    return told;
}

void add_rows(const json& told, Report& report) {
    const int ranks = told.at("ranks");
    const auto samples = [](const json& s) { return s.get<std::vector<double>>(); };
    for (const auto& cell : told.at("building")) {
        for (const auto& [way, ours] : cell.at("ours").items()) {
            Row row{fmt::format("{} ranks, {} of them, {}", ranks,
                                cell.at("fraction").get<double>(), way),
                    "building",
                    samples(ours.at("s")),
                    samples(cell.at("MPI_Comm_split").at("s")),
                    "MPI_Comm_split",
                    {}};
            // With more ranks than cores the scheduler is measured, not the algorithm.
            if (ranks == 8 && way == "automatic") row.expect_ratio(longest_building);
            report.rows.push_back(std::move(row));
        }
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
    report.details[fmt::format("{} ranks", ranks)] = told;
}

void print_counts(const json& told) {
    for (const auto& cell : told.at("building")) {
        std::string messages;
        for (const auto& [way, ours] : cell.at("ours").items())
            messages += fmt::format("  {} {}", way, ours.at("messages").get<long>());
        fmt::print("messages to make a group of {} of {} ranks:{}\n",
                   cell.at("fraction").get<double>(), told.at("ranks").get<int>(), messages);
    }
    const auto& alive = told.at("alive");
    const auto groups = alive.at("groups").get<int>();
    const auto bytes = alive.at("bytes_a_process").get<double>();
    fmt::print(
        "alive at once: {} groups ({}), {} bytes each a process ({}), made in {:.2f} s; {} "
        "communicators of MPI\n",
        groups, groups >= many ? "reached" : "not reached", bytes,
        bytes <= most_bytes ? "reached" : "not reached", alive.at("seconds").get<double>(),
        alive.at("communicators").get<int>());
}

}  // namespace

int main(int argc, char** argv) {
    std::string ranks = "8";
    const auto options =
        read_options(argc, argv, "Process groups beside MPI's communicators",
                     {{"--ranks", "how many, on 4 hosts: multiples of 4 up to 64 (8,64)", &ranks}});
    try {
        const auto sizes = sizes_in(ranks);
        const auto place = choose_place(options, argc, argv);
        Report report{"Process groups beside MPI's communicators, on " + place.description(),
                      {},
                      {{"repeat", options.repeat}, {"hosts", place.description()}},
                      {}};
        std::vector<json> all;
        for (const int size : sizes) {
            all.push_back(run_on(place, size, options.repeat));
            add_rows(all.back(), report);
        }
        publish(report, options);
        for (const auto& told : all) print_counts(told);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench/process_groups: {}\n", error.what());
        return 1;
    }
}
