#include "sim/tree_study.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "sim/group_build.hpp"
#include "sim/table_ii.hpp"

namespace ductile::sim {
namespace {

using tree::Algorithm;
using tree::Filler;

std::size_t columns(const StudyOptions& options) {
    const auto count = static_cast<std::size_t>(std::ranges::count_if(
        table_ii_processes, [&](int n) { return n <= options.most_processes; }));
    if (count == 0) throw std::invalid_argument("Table II begins with 2,048 processes");
    return count;
}

/// Calls work(i) for 0 .. count-1 on all cores of the machine. Throws what a call threw.
template <class Work>
void for_each_in_parallel(std::size_t count, const Work& work) {
    std::atomic<std::size_t> next = 0;
    const auto take = [&] {
        for (auto i = next++; i < count; i = next++) work(i);
    };
    const auto cores = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::future<void>> helpers;  // declared last: destructors wait for the threads
    for (unsigned core = 1; core < cores; ++core)
        helpers.push_back(std::async(std::launch::async, take));
    take();
    for (auto& helper : helpers) helper.get();
}

std::vector<double> fractions() {
    std::vector<double> all;
    for (const auto& row : table_ii)
        if (row.algorithm == Algorithm::centralized) all.push_back(row.fraction);
    return all;
}

/// The rows of these methods, with the values that are known before the simulation. Rows with many
/// processes come first. Otherwise one core could be left with a long row at the end.
std::vector<StudyRow> rows_of(const std::vector<tree::Method>& methods, std::size_t columns) {
    std::vector<StudyRow> rows;
    for (std::size_t column = columns; column-- > 0;) {
        for (const double fraction : fractions()) {
            for (const auto& method : methods) {
                StudyRow row;
                row.algorithm = method.algorithm;
                row.filler = method.filler;
                row.n = table_ii_processes.at(column);
                row.m = members_in(fraction, column);
                row.fraction = fraction;
                const bool printed =
                    method.algorithm != Algorithm::shrink_and_hash || method.filler == Filler::none;
                if (printed) {
                    const auto& cell = printed_cell(fraction, method.algorithm, column);
                    row.paper_messages = cell.messages;
                    row.paper_time_us = cell.time_us;
                }
                rows.push_back(row);
            }
        }
    }
    return rows;
}

void simulate(std::vector<StudyRow>& rows, const NetworkCosts& costs, unsigned seed) {
    for_each_in_parallel(rows.size(), [&](std::size_t i) {
        auto& row = rows[i];
        tree::Method method;
        method.algorithm = row.algorithm;
        method.filler = row.filler;
        method.branching = table_ii_branching;
        const auto build = simulate_build(method, draw_members(row.n, row.m, seed), costs);
        row.messages = build.messages;
        row.time_us = build.time_us;
        row.height = build.tree.height;
    });
}

const tree::Method centralized{Algorithm::centralized, Filler::none};

struct Fit {
    double scale = 0;  ///< the factor for all costs
    double error = 0;  ///< sum of the squares of the relative differences
};

/// All times are proportional to the costs. So for a given ratio of a byte's cost to the latency,
/// the best latency follows directly.
Fit fit_scale(double per_byte, std::size_t columns, unsigned seed) {
    auto rows = rows_of({centralized}, columns);
    simulate(rows, {1, 1, per_byte}, seed);
    double sum = 0, squares = 0;
    for (const auto& row : rows) {
        const double x = row.time_us / row.paper_time_us.value();
        sum += x;
        squares += x * x;
    }
    return {sum / squares, static_cast<double>(rows.size()) - sum * sum / squares};
}

/// The best ratio of a byte's cost to the latency, from `low` to `high`. A golden-section search on
/// the logarithm of the ratio, until it is known to `within`.
double best_ratio(double low, double high, double within, std::size_t columns, unsigned seed) {
    constexpr double golden = 0.6180339887498949;
    double a = std::log(low), b = std::log(high);
    const auto error = [&](double x) { return fit_scale(std::exp(x), columns, seed).error; };
    double left = b - golden * (b - a), right = a + golden * (b - a);
    double at_left = error(left), at_right = error(right);
    while (b - a > within) {
        if (at_left < at_right) {
            b = right;
            right = left;
            at_right = at_left;
            left = b - golden * (b - a);
            at_left = error(left);
        } else {
            a = left;
            left = right;
            at_left = at_right;
            right = a + golden * (b - a);
            at_right = error(right);
        }
    }
    return std::exp((a + b) / 2);
}

}  // namespace

NetworkCosts fit_costs(const StudyOptions& options) {
    const auto all = columns(options);
    // Columns with few processes are simulated quickly, and show roughly where the ratio is.
    const double near = best_ratio(1e-6, 1, 0.2, std::min<std::size_t>(all, 3), options.seed);
    const double ratio = best_ratio(near / 3, near * 3, 0.03, all, options.seed);
    const double scale = fit_scale(ratio, all, options.seed).scale;
    return {scale, scale, scale * ratio};
}

TreeStudy study_trees(const StudyOptions& options) {
    TreeStudy study;
    study.costs = fit_costs(options);
    study.rows = rows_of({centralized,
                          {Algorithm::shrink_and_balance, Filler::leaf},
                          {Algorithm::shrink_and_hash, Filler::none},
                          {Algorithm::shrink_and_hash, Filler::child},
                          {Algorithm::shrink_and_hash, Filler::leaf}},
                         columns(options));
    simulate(study.rows, study.costs, options.seed);
    std::ranges::stable_sort(study.rows, {}, [](const StudyRow& row) {
        return std::tuple{row.fraction, row.algorithm, row.filler, row.n};
    });
    return study;
}

}  // namespace ductile::sim
