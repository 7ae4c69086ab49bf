#include "plan/cost_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace ductile::plan {

namespace {

constexpr int unknowns = 3;
using Vector = std::array<double, unknowns>;
using Matrix = std::array<Vector, unknowns>;

// Normal equations of the relative errors: each observation as (1, ranks, levels) / seconds = 1.
struct Equations {
    Matrix left{};
    Vector right{};
};

Equations equations_of(const std::vector<Observation>& observations) {
    Equations sum;
    for (const auto& one : observations) {
        if (one.seconds <= 0) continue;
        const Vector row{1 / one.seconds, one.ranks / one.seconds, one.levels / one.seconds};
        for (std::size_t i = 0; i < unknowns; ++i) {
            for (std::size_t j = 0; j < unknowns; ++j) sum.left[i][j] += row[i] * row[j];
            sum.right[i] += row[i];
        }
    }
    return sum;
}

// Solves for the unknowns in the bit set `chosen`; the others are 0. Returns nullopt if the
// equations are singular.
std::optional<Vector> solve(Equations e, unsigned chosen) {
    const auto is_in = [chosen](std::size_t i) { return (chosen >> i & 1U) != 0; };
    for (std::size_t i = 0; i < unknowns; ++i) {
        if (is_in(i)) continue;
        e.left[i] = {};
        for (auto& row : e.left) row[i] = 0;
        e.left[i][i] = 1;
        e.right[i] = 0;
    }
    for (std::size_t column = 0; column < unknowns; ++column) {
        const double before = e.left[column][column];
        auto best = column;
        for (auto row = column; row < unknowns; ++row)
            if (std::abs(e.left[row][column]) > std::abs(e.left[best][column])) best = row;
        if (std::abs(e.left[best][column]) <= 1e-12 * std::max(1.0, std::abs(before)))
            return std::nullopt;
        std::swap(e.left[column], e.left[best]);
        std::swap(e.right[column], e.right[best]);
        for (std::size_t row = 0; row < unknowns; ++row) {
            if (row == column) continue;
            const double factor = e.left[row][column] / e.left[column][column];
            for (std::size_t k = 0; k < unknowns; ++k) e.left[row][k] -= factor * e.left[column][k];
            e.right[row] -= factor * e.right[column];
        }
    }
    Vector x{};
    for (std::size_t i = 0; i < unknowns; ++i) x[i] = e.right[i] / e.left[i][i];
    return x;
}

double relative_error(const Term& term, const std::vector<Observation>& observations) {
    double sum = 0;
    for (const auto& one : observations)
        if (one.seconds > 0) sum += std::pow(term.at(one.ranks, one.levels) / one.seconds - 1, 2);
    return sum;
}

}  // namespace

ResizeShape shape_of(const core::Layout& before, const core::Layout& after,
                     const std::vector<core::Group>& added, const std::vector<Spawn>& spawns) {
    ResizeShape shape{before.size(), after.size(), core::ranks_of(added),
                      static_cast<int>(added.size()), added.empty() ? 0 : 1};
    for (const auto& spawn : spawns) shape.steps = std::max(shape.steps, spawn.step);
    return shape;
}

int rounds_among(int groups) {
    int rounds = 0;
    for (int together = 1; together < groups; together *= 2) ++rounds;
    return rounds;
}

// There are few unknowns, so this tries every set of unknowns that are not 0.
Term fit(const std::vector<Observation>& observations) {
    for (const auto& one : observations)
        if (!std::isfinite(one.ranks) || !std::isfinite(one.levels) || !std::isfinite(one.seconds))
            throw std::invalid_argument("an observation is not finite");
    const auto equations = equations_of(observations);
    Term best;
    double least = std::numeric_limits<double>::infinity();
    for (unsigned chosen = 1; chosen < 1U << unknowns; ++chosen) {
        const auto x = solve(equations, chosen);
        if (!x || std::any_of(x->begin(), x->end(), [](double c) { return c < 0; })) continue;
        const Term term{(*x)[0], (*x)[1], (*x)[2]};
        const double error = relative_error(term, observations);
        // A set replaces an earlier one only if it fits better: needless unknowns stay 0.
        if (error < least - 1e-9) {
            least = error;
            best = term;
        }
    }
    return best;
}

std::optional<Cost> cost_of(const CostModel& model, const Strategy& strategy,
                            const ResizeShape& shape) {
    Cost cost;
    if (shape.started == 0) {
        if (model.empty()) return std::nullopt;
        const bool grows = shape.targets > shape.sources;
        cost.switch_s = grows ? model.merge.at(shape.targets, 0) : model.split.at(shape.sources, 0);
        cost.total_s = cost.lost_s = cost.switch_s;
        return cost;
    }
    const auto known = model.starts.find({strategy.start, strategy.overlap});
    if (known == model.starts.end()) return std::nullopt;
    const auto& start = known->second;
    cost.spawn_s = start.correction * start.spawn.at(shape.started, shape.steps);
    cost.connect_s = start.correction * start.connect.at(shape.started, rounds_among(shape.groups));
    cost.switch_s = model.merge.at(shape.sources + shape.started, 0);
    const double before_switch = cost.spawn_s + cost.connect_s;
    cost.total_s = before_switch + cost.switch_s;
    const double part =
        strategy.overlap == Overlap::blocking ? 1 : 1 - 1 / std::max(1.0, start.omega);
    const double spawn_part = shape.spawn_stops_program ? 1 : part;
    cost.lost_s = spawn_part * cost.spawn_s + part * cost.connect_s + cost.switch_s;
    return cost;
}

void CostModel::learn(const Strategy& strategy, const ResizeShape& shape,
                      double spawn_and_connect_s) {
    const auto known = starts.find({strategy.start, strategy.overlap});
    const auto said = cost_of(*this, strategy, shape);
    if (known == starts.end() || !said || shape.started == 0) return;
    const double expected = said->spawn_s + said->connect_s;
    if (!(spawn_and_connect_s > 0) || !(expected > 0)) return;
    auto& correction = known->second.correction;
    correction *= std::cbrt(spawn_and_connect_s / expected);
    correction = std::clamp(correction, 0.1, 10.0);
}

}  // namespace ductile::plan
