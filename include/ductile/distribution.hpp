/// \file
/// Rules that distribute the elements of an array over the ranks of a job, for any number of
/// ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "ductile/error.hpp"
#include "ductile/range.hpp"
#include "ductile/rank_host.hpp"

namespace ductile {

namespace plan {
class Rule;
}

/// A rule of distribution; a value, cheap to copy. Each element belongs to one rank. A rank holds
/// its elements one after the other, in rising order of their global index.
///
/// A function in a rule must return the same on every rank, and at every call. The thread that
/// calls `distribute` or `resize_point` calls it, for any number of ranks that a resize may lead
/// to. For a frozen array, another thread also calls it while the program computes. If the function
/// throws, or its result is not a partition, the resize is rolled back; `distribute` then throws
/// InputError.
class DUCTILE_PUBLIC Distribution {
  public:
    /// Contiguous blocks that differ by one element at most; the first n % ranks hold one more.
    Distribution();
    /// Contiguous blocks. The block of rank r begins at n * (sum of the weights of the ranks before
    /// it) / (sum of all weights), rounded up. n is the number of elements. `weights` returns one
    /// weight for each rank: 0 or more, and not all of them 0.
    static Distribution by_weights(std::function<std::vector<std::int64_t>(int ranks)> weights);
    /// The same, but the weight of a rank depends on its host: for example, on a measured speed.
    /// The argument of `weights` is the host of each rank, now or after a possible resize. A host
    /// that was never measured also needs a weight, which must not change. Job::hosts() returns the
    /// numbers of the hosts.
    static Distribution by_hosts(
        std::function<std::vector<std::int64_t>(const std::vector<RankHost>& ranks)> weights);
    /// The same, but the ranks of a host share its slots as their weight: a rank alone on a host of
    /// 8 slots holds twice as much as on a host of 4. Slots that the job has given back also count.
    static Distribution by_slots();
    /// Contiguous blocks of about equal weight: for example, matrix rows by their non-zeros.
    /// `weight_before(i)`, 0 <= i <= elements, is the weight of all elements before element i: the
    /// matrix's row pointer. The weight of a rank is at most its equal share plus the weight of one
    /// element.
    ///
    /// Example: rows of 1, 1, 1, 9, 1, 1 on 2 ranks: rank 0 holds [0,4), of weight 12; rank 1
    /// [4,6).
    static Distribution balanced(std::function<std::int64_t(std::int64_t element)> weight_before);
    /// Blocks of `block` elements, dealt out to the ranks in turn. Throws InputError when `block`
    /// is below 1.
    ///
    /// Example: 10 elements on 2 ranks by blocks of 3: rank 0 holds [0,3) [6,9).
    static Distribution cyclic(std::int64_t block = 1);
    /// The ranges that `ranges` returns for each rank, in rising order. All ranks together must
    /// hold each element once.
    static Distribution by_ranges(std::function<std::vector<Range>(int ranks, int rank)> ranges);
    /// A row-major array of these extents, cut into blocks along one dimension (0: the first, which
    /// varies slowest). Throws InputError when there is no such dimension.
    static Distribution along(std::vector<std::int64_t> extents, int dimension);
    /// A row-major array of these extents, cut into blocks along all dimensions, over a grid of
    /// ranks (numbered row-major) whose blocks have the least surface.
    static Distribution grid(std::vector<std::int64_t> extents);

    /// The ranges that rank `rank` of `ranks` holds of an array of `elements` elements: in rising
    /// order, adjacent ranges merged. Throws InputError when a number is out of its bounds, or the
    /// result of the rule is not a partition; also for a rule that depends on hosts. This call does
    /// not know the hosts: use Part::ranges().
    [[nodiscard]] std::vector<Range> ranges(std::int64_t elements, int ranks, int rank) const;
    /// The rank that holds an element. Throws as `ranges` does.
    [[nodiscard]] int owner(std::int64_t elements, int ranks, std::int64_t element) const;

    /// For the library.
    [[nodiscard]] const plan::Rule& rule() const { return *rule_; }

  private:
    explicit Distribution(std::shared_ptr<const plan::Rule> rule) : rule_(std::move(rule)) {}
    std::shared_ptr<const plan::Rule> rule_;
};

}  // namespace ductile
