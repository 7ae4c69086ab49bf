#include "process_management/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/statistics.hpp"
#include "ductile/error.hpp"

namespace ductile::bench {

namespace {

constexpr double told_apart_below = 0.05;

struct Measure {
    const char* name;
    double Sample::*member;
};
constexpr Measure measures[] = {{"total_s", &Sample::total_s},       {"spawn_s", &Sample::spawn_s},
                                {"connect_s", &Sample::connect_s},   {"join_s", &Sample::join_s},
                                {"stall_s", &Sample::stall_s},       {"lost_s", &Sample::lost_s},
                                {"overlapped", &Sample::overlapped}, {"omega", &Sample::omega}};

std::string pair_name(const Cell& cell) {
    return fmt::format("{}->{}", cell.from, cell.to);
}

}  // namespace

std::map<std::pair<int, int>, std::vector<const Cell*>> by_pair(const std::vector<Cell>& cells) {
    std::map<std::pair<int, int>, std::vector<const Cell*>> pairs;
    for (const auto& cell : cells)
        if (!cell.samples.empty()) pairs[{cell.from, cell.to}].push_back(&cell);
    return pairs;
}

Sample sample_of(const OurResize& resize) {
    const auto& at = resize.record.at("since_accepted_s");
    const auto moment = [&at](const char* name, double otherwise) {
        return at.contains(name) ? at.at(name).get<double>() : otherwise;
    };
    Sample sample;
    sample.total_s = resize.total_s;
    sample.stall_s = resize.stall_s;
    sample.join_s = resize.record.at("join_s");
    sample.overlapped = resize.overlapped;
    if (at.contains("launched")) {
        const double up = moment("spawned", moment("ready", 0));
        sample.spawn_s = at.contains("spawned") ? resize.record.at("spawn_s").get<double>()
                                                : up - moment("launched", up);
        sample.connect_s = moment("bridged", up) - up;
    }
    sample.lost_s = resize.lost_s();
    if (resize.overlapped > 0 && resize.iteration_quiet_s > 0)
        sample.omega = resize.iteration_pending_s / resize.iteration_quiet_s;
    return sample;
}

std::vector<double> Cell::values(double Sample::*measure) const {
    std::vector<double> all;
    for (const auto& sample : samples) all.push_back(sample.*measure);
    return all;
}

double Cell::median(double Sample::*measure) const {
    return spread_of(values(measure)).median;
}

std::vector<std::string> best_of(const std::vector<const Cell*>& pair, double Sample::*measure) {
    auto rising = pair;
    std::ranges::stable_sort(rising, {}, [measure](const Cell* c) { return c->median(measure); });
    std::vector<std::string> best;
    for (const auto* cell : rising)
        if (best.empty() ||
            mann_whitney(rising.front()->values(measure), cell->values(measure)) > told_apart_below)
            best.push_back(cell->strategy);
    return best;
}

nlohmann::json best_map(const std::vector<Cell>& cells) {
    nlohmann::json map = nlohmann::json::object();
    for (const auto& [pair, strategies] : by_pair(cells))
        map[pair_name(*strategies.front())] = {{"total", best_of(strategies, &Sample::total_s)},
                                               {"lost", best_of(strategies, &Sample::lost_s)}};
    return map;
}

double alpha_of(const Cell& cell, const std::vector<Cell>& cells) {
    const auto end = cell.strategy.rfind(" background");
    if (end == std::string::npos || cell.samples.empty()) return 0;
    const auto blocking = cell.strategy.substr(0, end) + " blocking";
    for (const auto& other : cells)
        if (other.from == cell.from && other.to == cell.to && other.strategy == blocking &&
            !other.samples.empty())
            return cell.median(&Sample::total_s) / other.median(&Sample::total_s);
    return 0;
}

nlohmann::json to_json(const std::vector<Cell>& cells) {
    nlohmann::json all = nlohmann::json::array();
    for (const auto& cell : cells) {
        nlohmann::json one{{"case", pair_name(cell)},
                           {"from", cell.from},
                           {"to", cell.to},
                           {"way", cell.strategy},
                           {"samples", cell.samples.size()},
                           {"alpha", alpha_of(cell, cells)}};
        for (const auto& measure : measures) {
            one["median"][measure.name] = cell.median(measure.member);
            one["all"][measure.name] = cell.values(measure.member);
        }
        all.push_back(std::move(one));
    }
    return all;
}

std::vector<Cell> cells_in(const nlohmann::json& cells) {
    std::vector<Cell> read;
    try {
        for (const auto& one : cells) {
            Cell cell{one.at("from"), one.at("to"), one.at("way"), {}};
            for (const auto& measure : measures) {
                const auto values = one.at("all").at(measure.name).get<std::vector<double>>();
                cell.samples.resize(std::max(cell.samples.size(), values.size()));
                for (std::size_t i = 0; i < values.size(); ++i)
                    cell.samples[i].*measure.member = values[i];
            }
            read.push_back(std::move(cell));
        }
    } catch (const nlohmann::json::exception& error) {
        throw InputError(std::string("this is not a result of bench/process_management: ") +
                         error.what());
    }
    return read;
}

std::string to_csv(const std::vector<Cell>& cells) {
    std::string text = "from,to,method,start,overlap,samples";
    for (const auto& measure : measures) text += std::string(",") + measure.name;
    text += ",alpha,best_in_all,best_for_the_program\n";
    const auto map = best_map(cells);
    const auto is_best = [&map](const Cell& cell, const char* measure) {
        const auto pair = map.find(pair_name(cell));  // none: all samples of the pair failed
        if (pair == map.end()) return std::ptrdiff_t{0};
        const auto& best = pair->at(measure);
        return std::count(best.begin(), best.end(), cell.strategy);
    };
    for (const auto& cell : cells) {
        auto strategy = cell.strategy;
        std::ranges::replace(strategy, ' ', ',');
        text += fmt::format("{},{},{},{}", cell.from, cell.to, strategy, cell.samples.size());
        for (const auto& measure : measures)
            text += fmt::format(",{:.6g}", cell.median(measure.member));
        text += fmt::format(",{:.4g},{},{}\n", alpha_of(cell, cells), is_best(cell, "total"),
                            is_best(cell, "lost"));
    }
    return text;
}

std::string to_table(const std::vector<Cell>& cells) {
    std::string text;
    for (const auto& [pair, strategies] : by_pair(cells)) {
        text += fmt::format("{}->{}: medians in ms of {} samples\n", pair.first, pair.second,
                            strategies.front()->samples.size());
        text +=
            fmt::format("  {:<32}{:>8}{:>8}{:>9}{:>7}{:>8}{:>8}{:>7}{:>7}{:>7}\n", "way", "total",
                        "spawn", "connect", "join", "stall", "lost", "iter.", "omega", "alpha");
        for (const auto* cell : strategies) {
            const auto ms = [cell](double Sample::*measure) {
                return fmt::format("{:.1f}", cell->median(measure) * 1e3);
            };
            text += fmt::format("  {:<32}{:>8}{:>8}{:>9}{:>7}{:>8}{:>8}{:>7.0f}{:>7.2f}{:>7.2f}\n",
                                cell->strategy, ms(&Sample::total_s), ms(&Sample::spawn_s),
                                ms(&Sample::connect_s), ms(&Sample::join_s), ms(&Sample::stall_s),
                                ms(&Sample::lost_s), cell->median(&Sample::overlapped),
                                cell->median(&Sample::omega), alpha_of(*cell, cells));
        }
        const auto listed = [](const std::vector<std::string>& best) {
            return fmt::format("{}", fmt::join(best, ", "));
        };
        text += "  shortest in all: " + listed(best_of(strategies, &Sample::total_s)) + "\n";
        text += "  the program loses least: " + listed(best_of(strategies, &Sample::lost_s)) + "\n";
    }
    return text;
}

}  // namespace ductile::bench
