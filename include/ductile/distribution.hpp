/// \file
/// Rules by which the elements of an array are distributed over the ranks of a job, however many
/// there are.
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
/// A function that is given to a rule says the same on every rank, and each time. It is called by
/// the thread that calls `distribute` or `resize_point`, of a frozen array also by another one
/// while the program computes, for numbers of ranks that a resize may come to. What it throws, or a
/// partition that is none, calls the resize off; `distribute` throws InputError.
class DUCTILE_PUBLIC Distribution {
  public:
    /// Contiguous blocks that differ by one element at most; the first n % ranks hold one more.
    Distribution();
    /// Contiguous blocks. Rank r begins at n * (weights of the ranks before it) / (all weights),
    /// rounded up. `weights` gives one weight from 0 for each rank, not all of them 0.
    static Distribution by_weights(std::function<std::vector<std::int64_t>(int ranks)> weights);
    /// The same where a rank's weight goes by its host: a speed that was measured once, say.
    /// `weights` is told where the ranks of a job are, by rank, also where a resize would put them;
    /// a host that it has never seen needs a weight, too, and keeps it. Job::hosts() tells the
    /// hosts' numbers.
    static Distribution by_hosts(
        std::function<std::vector<std::int64_t>(const std::vector<RankHost>& ranks)> weights);
    /// The same, the ranks of a host sharing its slots as their weight: a rank alone on a host of 8
    /// slots holds twice what it would on one of 4. Slots that were given back count, too.
    static Distribution by_slots();
    /// Contiguous blocks of about equal weight: rows of a sparse matrix by their non-zeros.
    /// `weight_before(i)`, 0 <= i <= elements, is the weight of all elements before element i: the
    /// matrix's row pointer. No rank has more than its share and one element.
    ///
    /// Example: rows of 1, 1, 1, 9, 1, 1 on 2 ranks: rank 0 holds [0,4), of weight 12; rank 1
    /// [4,6).
    static Distribution balanced(std::function<std::int64_t(std::int64_t element)> weight_before);
    /// Blocks of `block` elements, dealt out to the ranks in turn. Throws InputError when `block`
    /// is below 1.
    ///
    /// Example: 10 elements on 2 ranks by blocks of 3: rank 0 holds [0,3) [6,9).
    static Distribution cyclic(std::int64_t block = 1);
    /// The ranges that `ranges` gives for each rank, rising. All ranks together hold each element
    /// once.
    static Distribution by_ranges(std::function<std::vector<Range>(int ranks, int rank)> ranges);
    /// A row-major array of these extents, cut into blocks along one dimension (0: the first, which
    /// varies slowest). Throws InputError when there is no such dimension.
    static Distribution along(std::vector<std::int64_t> extents, int dimension);
    /// A row-major array of these extents, cut into blocks along all dimensions, over a grid of
    /// ranks (numbered row-major) whose blocks have the least surface.
    static Distribution grid(std::vector<std::int64_t> extents);

    /// What a rank of `ranks` holds of an array of `elements`: rising, no two next to each other.
    /// Throws InputError as above, and of a distribution that goes by hosts, which are not known
    /// here: ask the Part.
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
