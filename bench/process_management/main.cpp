// Every way to change a job's size - method, start, overlap - between pairs of sizes: what takes
// how long, what the program loses, and which way is the best (dynamic-spawning-methods, section 5;
// parallel-spawning-strategies, section 5).
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>

#include "common/machine.hpp"
#include "ductile/error.hpp"
#include "process_management/cells.hpp"

using namespace ductile::bench;

namespace {

constexpr int hosts = 4;

struct Wish {
    std::string pairs, per_host = "4", csv, ways;
};

/// One way between two sizes: a job that grows, and shrinks again.
struct Task {
    Pair pair;
    ductile::plan::Way way;
    Cell grown, shrunk;
    std::vector<std::string> failures{};
};

std::vector<Task> tasks_of(const Wish& wish, int per_host) {
    const int most = hosts * per_host;
    std::vector<int> sizes;
    for (int size = 1; size <= most; size *= 2) sizes.push_back(size);
    const auto pairs = wish.pairs.empty() ? all_pairs(sizes) : pairs_in(wish.pairs, most);
    std::vector<Task> tasks;
    for (const auto& pair : pairs)
        for (const auto& way : ways_between(pair, hosts, per_host)) {
            const auto name = name_of(way);
            if (name.find(wish.ways) == std::string::npos) continue;
            const auto shrinks_by = way.method == ductile::plan::Method::merge ? "merge - -" : name;
            tasks.push_back(
                {pair, way, {pair.ns, pair.nt, name, {}}, {pair.nt, pair.ns, shrinks_by, {}}});
        }
    return tasks;
}

void sample(Task& task, const Place& place, int per_host) {
    try {
        const auto resizes =
            run_ours(place, shape_of(task.pair.ns, per_host), Shape{hosts, per_host},
                     {task.pair.nt, task.pair.ns}, options_of(task.way));
        task.grown.samples.push_back(sample_of(resizes.at(0)));
        task.shrunk.samples.push_back(sample_of(resizes.at(1)));
    } catch (const ductile::Error& error) {
        task.failures.emplace_back(error.what());
        fmt::print(stderr, "{}:{} {}: a sample failed: {}\n", task.pair.ns, task.pair.nt,
                   name_of(task.way), error.what());
    }
}

// Shrinks by merge are all one way, whatever the growth was; of those, as many as of any other.
std::vector<Cell> cells_of(const std::vector<Task>& tasks, std::size_t repeat) {
    std::vector<Cell> cells;
    const auto add = [&](const Cell& cell) {
        for (auto& other : cells)
            if (other.from == cell.from && other.to == cell.to && other.way == cell.way) {
                for (const auto& one : cell.samples)
                    if (other.samples.size() < repeat) other.samples.push_back(one);
                return;
            }
        cells.push_back(cell);
    };
    for (const auto& task : tasks) add(task.grown);
    for (const auto& task : tasks) add(task.shrunk);
    return cells;
}

void write(const std::string& path, const std::string& text) {
    if (path.empty()) return;
    std::ofstream file(path);
    file << text;
    if (!file.flush()) throw ductile::SystemError("cannot write " + path);
}

}  // namespace

int main(int argc, char** argv) {
    Wish wish;
    const auto options = read_options(
        argc, argv, "Every way to change a job's size, between pairs of sizes",
        {{"--pairs", "pairs of sizes: 1:4,2:8 (all of 1, 2, 4 ... up to all slots)", &wish.pairs},
         {"--per-host", "ranks that each of the 4 hosts may hold (4)", &wish.per_host},
         {"--ways", "only ways whose name has this: \"merge single\"", &wish.ways},
         {"--csv", "write the medians to this file", &wish.csv}});
    try {
        const int per_host = std::stoi(wish.per_host);
        if (per_host < 1 || per_host > 64) throw ductile::InputError("--per-host: 1 to 64");
        auto tasks = tasks_of(wish, per_host);
        const auto place = choose_place(options, argc, argv);
        for (int round = 0; round < options.repeat; ++round)
            for (std::size_t i = 0; i < tasks.size(); ++i) {
                // Each time another one is the first, so that none has always the same neighbour.
                auto& task = tasks[(i + static_cast<std::size_t>(round)) % tasks.size()];
                sample(task, place, per_host);
                fmt::print(stderr, "\rround {} of {}: {} of {} ", round + 1, options.repeat, i + 1,
                           tasks.size());
            }
        std::fputs("\n", stderr);
        const auto cells = cells_of(tasks, static_cast<std::size_t>(options.repeat));
        std::fputs(to_table(cells).c_str(), stdout);
        nlohmann::json failures = nlohmann::json::object();
        for (const auto& task : tasks)
            if (!task.failures.empty())
                failures[fmt::format("{}:{} {}", task.pair.ns, task.pair.nt, name_of(task.way))] =
                    task.failures;
        write(options.json, nlohmann::json{{"cells", to_json(cells)},
                                           {"best", best_map(cells)},
                                           {"failures", failures},
                                           {"repeat", options.repeat},
                                           {"hosts", place.description()},
                                           {"per_host", per_host},
                                           {"machine", describe_machine()},
                                           {"versions", describe_versions()}}
                                .dump(1));
        write(wish.csv, to_csv(cells));
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench/process_management: {}\n", error.what());
        return 1;
    }
}
