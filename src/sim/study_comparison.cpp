#include "sim/study_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace ductile::sim {
namespace {

std::optional<double> deviation(double ours, const std::optional<int>& papers) {
    if (!papers) return std::nullopt;
    return ours / *papers - 1;
}

/// The largest deviation and the mean deviation of the rows that have one.
class Summary {
  public:
    void take(const StudyRow& row, const std::optional<double>& deviation) {
        if (!deviation) return;
        ++count_;
        sum_ += *deviation;
        if (std::abs(*deviation) >= std::abs(largest_.deviation))
            largest_ = {*deviation, row.fraction, row.n};
    }
    [[nodiscard]] int count() const { return count_; }
    [[nodiscard]] const LargestDeviation& largest() const { return largest_; }
    [[nodiscard]] double mean() const { return count_ > 0 ? sum_ / count_ : 0; }

  private:
    int count_ = 0;
    double sum_ = 0;
    LargestDeviation largest_;
};

const StudyRow& fastest(const std::vector<const StudyRow*>& rows, auto time_of) {
    return **std::ranges::min_element(rows, {}, time_of);
}

}  // namespace

std::optional<double> message_deviation(const StudyRow& row) {
    return deviation(static_cast<double>(row.messages), row.paper_messages);
}

std::optional<double> time_deviation(const StudyRow& row) {
    return deviation(row.time_us, row.paper_time_us);
}

std::vector<AlgorithmDeviations> deviations_of_algorithms(const std::vector<StudyRow>& rows) {
    std::vector<AlgorithmDeviations> all;
    for (const auto algorithm : tree::all_algorithms) {
        Summary messages, time;
        for (const auto& row : rows) {
            if (row.algorithm != algorithm) continue;
            messages.take(row, message_deviation(row));
            time.take(row, time_deviation(row));
        }
        if (messages.count() + time.count() > 0)
            all.push_back(
                {algorithm, messages.largest(), time.largest(), messages.mean(), time.mean()});
    }
    return all;
}

std::vector<Fastest> fastest_of_each_cell(const std::vector<StudyRow>& rows) {
    std::vector<Fastest> cells;
    for (const double fraction : fractions_of(rows)) {
        for (const int n : sizes_of(rows)) {
            std::vector<const StudyRow*> cell;
            for (const auto& row : rows)
                if (row.fraction == fraction && row.n == n && row.paper_time_us)
                    cell.push_back(&row);
            if (cell.empty()) continue;
            const auto& ours = fastest(cell, [](auto* row) { return row->time_us; });
            const auto& papers = fastest(cell, [](auto* row) { return *row->paper_time_us; });
            cells.push_back(
                {fraction, n, ours.algorithm, papers.algorithm, papers.time_us / ours.time_us - 1});
        }
    }
    return cells;
}

const StudyRow* find_row(const std::vector<StudyRow>& rows, double fraction,
                         tree::Algorithm algorithm, tree::Filler filler, int n) {
    const auto row = std::ranges::find_if(rows, [&](const StudyRow& r) {
        return r.fraction == fraction && r.algorithm == algorithm && r.filler == filler && r.n == n;
    });
    return row == rows.end() ? nullptr : &*row;
}

tree::Filler printed_filler(tree::Algorithm algorithm) {
    return algorithm == tree::Algorithm::shrink_and_balance ? tree::Filler::leaf
                                                            : tree::Filler::none;
}

std::vector<double> fractions_of(const std::vector<StudyRow>& rows) {
    std::set<double> all;
    for (const auto& row : rows) all.insert(row.fraction);
    return {all.begin(), all.end()};
}

std::vector<int> sizes_of(const std::vector<StudyRow>& rows) {
    std::set<int> all;
    for (const auto& row : rows) all.insert(row.n);
    return {all.begin(), all.end()};
}

}  // namespace ductile::sim
