#include "plan/calibration.hpp"

#include <algorithm>

namespace ductile::plan {

namespace {

double median_omega(std::vector<double> seen) {
    if (seen.empty()) return 1;
    const auto middle = seen.begin() + static_cast<std::ptrdiff_t>(seen.size() / 2);
    std::nth_element(seen.begin(), middle, seen.end());
    return std::max(1.0, *middle);
}

}  // namespace

CostModel model_of(const std::vector<MeasuredResize>& measured) {
    struct Seen {
        std::vector<Observation> spawn, connect;
        std::vector<double> omega;
    };
    std::map<std::pair<Start, Overlap>, Seen> starts;
    std::vector<Observation> merge, split;
    std::vector<double> omegas;
    for (const auto& [strategy, shape, spawn_s, connect_s, switch_s, omega] : measured) {
        if (shape.started == 0) {
            if (shape.targets < shape.sources)
                split.push_back({static_cast<double>(shape.sources), 0, switch_s});
            continue;
        }
        auto& seen = starts[{strategy.start, strategy.overlap}];
        const double started = shape.started;
        seen.spawn.push_back({started, static_cast<double>(shape.steps), spawn_s});
        seen.connect.push_back(
            {started, static_cast<double>(rounds_among(shape.groups)), connect_s});
        merge.push_back({static_cast<double>(shape.sources + shape.started), 0, switch_s});
        if (omega <= 0) continue;
        seen.omega.push_back(omega);
        omegas.push_back(omega);
    }
    CostModel model;
    model.merge = fit(merge);
    model.split = fit(split);
    for (const auto& [strategy, seen] : starts) {
        StartCost cost;
        cost.spawn = fit(seen.spawn);
        cost.connect = fit(seen.connect);
        if (strategy.second == Overlap::background)
            cost.omega = median_omega(seen.omega.empty() ? omegas : seen.omega);
        cost.samples = static_cast<int>(seen.spawn.size());
        model.starts[strategy] = cost;
    }
    return model;
}

std::vector<MoveCost> costs_of_moves(const std::vector<MeasuredMove>& measured) {
    std::vector<MoveCost> costs;
    for (const auto executor : all_executors) {
        std::vector<Observation> seen;
        for (const auto& one : measured)
            if (one.executor == executor)
                seen.push_back(
                    {static_cast<double>(one.shape.ranks), one.shape.mebibytes, one.seconds});
        if (seen.empty()) continue;
        const auto term = fit(seen);
        costs.push_back({executor, term.constant, term.per_rank, term.per_level});
    }
    return costs;
}

}  // namespace ductile::plan
