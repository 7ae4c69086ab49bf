#include "workload/mann_whitney.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>

#include "core/contract.hpp"

namespace ductile::workload {

namespace {

constexpr std::size_t most_for_exact = 20;

// Twice the ranks of values, from 2 on, in the order of the values. Equal values share the mean of
// their ranks, which is a whole number when it is doubled. 7, 5, 7 have the ranks 2.5, 1, 2.5.
std::vector<int> doubled_ranks(const std::vector<double>& values) {
    auto sorted = values;
    std::ranges::sort(sorted);
    std::vector<int> ranks;
    for (const double value : values) {
        const auto [first, end] = std::equal_range(sorted.begin(), sorted.end(), value);
        ranks.push_back(static_cast<int>(first - sorted.begin() + 1 + (end - sorted.begin())));
    }
    return ranks;
}

// ways[size][sum]: how many subsets of this size have this sum of doubled ranks.
using Ways = std::vector<std::vector<std::int64_t>>;

Ways count_subsets(const std::vector<int>& ranks, std::size_t size) {
    std::size_t largest = 0;
    for (const int rank : ranks) largest += static_cast<std::size_t>(rank);
    Ways ways(size + 1, std::vector<std::int64_t>(largest + 1));
    ways[0][0] = 1;
    for (const int rank : ranks)
        for (std::size_t chosen = size; chosen > 0; --chosen)
            for (auto sum = static_cast<std::size_t>(rank); sum <= largest; ++sum)
                ways[chosen][sum] += ways[chosen - 1][sum - static_cast<std::size_t>(rank)];
    return ways;
}

// The share of subsets whose doubled rank sum is as far from `mean` as `seen`, or farther.
double exact_p(const std::vector<int>& ranks, std::size_t size, std::int64_t mean,
               std::int64_t seen) {
    const auto sums = count_subsets(ranks, size)[size];
    std::int64_t all = 0, as_far = 0;
    for (std::size_t sum = 0; sum < sums.size(); ++sum) {
        all += sums[sum];
        if (std::abs(static_cast<std::int64_t>(sum) - mean) >= std::abs(seen - mean))
            as_far += sums[sum];
    }
    return static_cast<double>(as_far) / static_cast<double>(all);
}

// The sum of t^3 - t over each set of t equal values.
double sum_for_ties(std::vector<int> ranks) {
    std::ranges::sort(ranks);
    double sum = 0;
    for (auto it = ranks.begin(); it != ranks.end();) {
        const auto end = std::upper_bound(it, ranks.end(), *it);
        const auto equal = static_cast<double>(end - it);
        sum += equal * equal * equal - equal;
        it = end;
    }
    return sum;
}

double normal_p(const std::vector<int>& ranks, double first, double second, double distance) {
    const double n = first + second;
    const double variance = first * second / 12 * (n + 1 - sum_for_ties(ranks) / (n * (n - 1)));
    if (variance <= 0) return 1;  // all values are equal
    const double z = std::max(0.0, distance - 0.5) / std::sqrt(variance);
    return std::erfc(z / std::sqrt(2));
}

}  // namespace

MannWhitney mann_whitney(const std::vector<double>& first, const std::vector<double>& second) {
    DUCTILE_EXPECT(!first.empty() && !second.empty());
    auto values = first;
    values.insert(values.end(), second.begin(), second.end());
    const auto ranks = doubled_ranks(values);
    const auto size = static_cast<std::int64_t>(first.size());
    const auto others = static_cast<std::int64_t>(second.size());
    const auto rank_sum =  // doubled
        std::accumulate(ranks.begin(), ranks.begin() + size, std::int64_t{0});
    const auto least = size * (size + 1), mean = least + size * others;
    MannWhitney result;
    result.u = static_cast<double>(rank_sum - least) / 2;
    if (values.size() <= most_for_exact) {
        result.p = exact_p(ranks, first.size(), mean, rank_sum);
    } else {
        result.p = normal_p(ranks, static_cast<double>(size), static_cast<double>(others),
                            static_cast<double>(std::abs(rank_sum - mean)) / 2);
        result.how = PValue::approximate;
    }
    return result;
}

}  // namespace ductile::workload
