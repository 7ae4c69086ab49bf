// Every strategy to change a job's size - method, start, overlap - between pairs of sizes: what
// takes how long, what the program loses, and which strategy is the best (dynamic-spawning-methods,
// section 5; parallel-spawning-strategies, section 5).
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "common/machine.hpp"
#include "ductile/error.hpp"
#include "process_management/cells.hpp"
#include "process_management/page.hpp"

using namespace ductile::bench;

namespace {

using nlohmann::json;

struct Wish {
    std::string pairs, per_host = "4", hosts = "4", csv, page, from, strategies;
};

struct Size {
    int hosts = 4, per_host = 4;
};

/// One strategy between two sizes: a job that grows, and shrinks again.
struct Task {
    Pair pair;
    ductile::plan::Strategy strategy;
    Cell grown, shrunk;
    std::vector<std::string> failures{};
};

std::vector<Task> tasks_of(const Wish& wish, const Size& size) {
    const int most = size.hosts * size.per_host;
    std::vector<int> sizes;
    for (int ranks = 1; ranks <= most; ranks *= 2) sizes.push_back(ranks);
    const auto pairs = wish.pairs.empty() ? all_pairs(sizes) : pairs_in(wish.pairs, most);
    std::vector<Task> tasks;
    for (const auto& pair : pairs)
        for (const auto& strategy : strategies_between(pair, size.hosts, size.per_host)) {
            const auto name = name_of(strategy);
            if (name.find(wish.strategies) == std::string::npos) continue;
            const auto shrinks_by =
                strategy.method == ductile::plan::Method::merge ? "merge - -" : name;
            tasks.push_back(
                {pair, strategy, {pair.ns, pair.nt, name, {}}, {pair.nt, pair.ns, shrinks_by, {}}});
        }
    return tasks;
}

void sample(Task& task, const Place& place, const Size& size) {
    try {
        const auto resizes =
            run_ours(place, shape_of(task.pair.ns, size.per_host), Shape{size.hosts, size.per_host},
                     {task.pair.nt, task.pair.ns}, options_of(task.strategy));
        task.grown.samples.push_back(sample_of(resizes.at(0)));
        task.shrunk.samples.push_back(sample_of(resizes.at(1)));
    } catch (const ductile::Error& error) {
        task.failures.emplace_back(error.what());
        fmt::print(stderr, "{}:{} {}: a sample failed: {}\n", task.pair.ns, task.pair.nt,
                   name_of(task.strategy), error.what());
    }
}

// All shrinks by merge are one strategy, whatever the growth was. As many of their samples are kept
// as of any other strategy.
std::vector<Cell> cells_of(const std::vector<Task>& tasks, std::size_t repeat) {
    std::vector<Cell> cells;
    const auto add = [&](const Cell& cell) {
        for (auto& other : cells)
            if (other.from == cell.from && other.to == cell.to && other.strategy == cell.strategy) {
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

std::string read(const std::string& path, const std::string& cure) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw ductile::InputError("cannot read " + path + cure);
    return {std::istreambuf_iterator<char>(file), {}};
}

json report_of(const std::vector<Task>& tasks, const std::vector<Cell>& cells, int rounds,
               const Size& size, const Place& place) {
    json failures = json::object();
    for (const auto& task : tasks)
        if (!task.failures.empty())
            failures[fmt::format("{}:{} {}", task.pair.ns, task.pair.nt, name_of(task.strategy))] =
                task.failures;
    return {{"cells", to_json(cells)},        {"best", best_map(cells)},
            {"failures", failures},           {"repeat", rounds},
            {"hosts", place.description()},   {"number_of_hosts", size.hosts},
            {"per_host", size.per_host},      {"machine", describe_machine()},
            {"versions", describe_versions()}};
}

// After each round all that was measured so far is written: a series may take hours.
json measure(std::vector<Task>& tasks, const Options& options, const Size& size,
             const Place& place) {
    json report;
    for (int round = 0; round < options.repeat; ++round) {
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            // Each round begins with another task.
            auto& task = tasks[(i + static_cast<std::size_t>(round)) % tasks.size()];
            sample(task, place, size);
            fmt::print(stderr, "\rround {} of {}: {} of {} ", round + 1, options.repeat, i + 1,
                       tasks.size());
        }
        const auto cells = cells_of(tasks, static_cast<std::size_t>(round) + 1);
        report = report_of(tasks, cells, round + 1, size, place);
        write(options.json, report.dump(1));
    }
    std::fputs("\n", stderr);
    return report;
}

void run(const Wish& wish, const Options& options, int argc, char** argv) {
    // Read first, so that a missing file shows before hours of measurements.
    const std::string library =
        wish.page.empty() ? ""
                          : read(beside("../share/ductile/plotly.min.js"), "; ./demo fetches it");
    json report;
    if (wish.from.empty()) {
        const Size size{number_in(wish.hosts, "--hosts", 16),
                        number_in(wish.per_host, "--per-host", 64)};
        auto tasks = tasks_of(wish, size);
        const auto place = choose_place(options, argc, argv, size.hosts);
        report = measure(tasks, options, size, place);
    } else {
        report = json::parse(read(wish.from, ""), nullptr, false);
        if (!report.is_object() || !report.contains("cells"))
            throw ductile::InputError(wish.from + " is not a result of bench/process_management");
    }
    const auto cells = cells_in(report.at("cells"));
    std::fputs(to_table(cells).c_str(), stdout);
    write(wish.csv, to_csv(cells));
    if (!wish.page.empty()) write(wish.page, render_page(cells, report, library));
}

}  // namespace

int main(int argc, char** argv) {
    Wish wish;
    const auto options = read_options(
        argc, argv,
        "Measures every way (method, start, overlap) to change the size of a job between pairs of "
        "sizes",
        {{"--pairs",
          "pairs of sizes in ranks, such as 1:4,2:8 (default: all pairs of 1, 2, 4 ... up to all "
          "slots)",
          &wish.pairs},
         {"--hosts", "number of hosts (default: 4)", &wish.hosts},
         {"--per-host", "ranks that each host may hold (default: 4)", &wish.per_host},
         {"--ways",
          "only ways whose names contain this text, such as \"merge single\" (default: all)",
          &wish.strategies},
         {"--csv", "write the medians to this file, as CSV (default: no file)", &wish.csv},
         {"--page", "draw the result as one HTML page in this file (default: no page)", &wish.page},
         {"--from", "measure nothing, and read the result that --json has written to this file",
          &wish.from}});
    try {
        run(wish, options, argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench/process_management: {}\n", error.what());
        return 1;
    }
}
