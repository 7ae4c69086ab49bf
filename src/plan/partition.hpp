// Who holds which elements of an array: what a rule of distribution gives for a number of parts.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "ductile/range.hpp"
#include "plan/distribution.hpp"

namespace ductile::plan {

namespace partition {

/// The sizes of consecutive blocks are as the weights of their parts.
struct Weighted {
    std::vector<std::int64_t> begins;  ///< of each part, and the number of elements at the end
    bool operator==(const Weighted&) const = default;
};

/// Blocks of `block` elements are dealt out to the parts in turn.
struct Cyclic {
    std::int64_t elements = 0;
    int parts = 1;
    std::int64_t block = 1;
    bool operator==(const Cyclic&) const = default;
};

/// Ranges that somebody has named.
struct Listed {
    struct Run {
        Range range;
        int part = 0;
        std::int64_t local = 0;  ///< elements that the part holds before it
        bool operator==(const Run&) const = default;
    };
    std::vector<Run> runs;  ///< of all parts, rising
    std::vector<std::vector<Range>> by_part;
    std::int64_t elements = 0;
    bool operator==(const Listed&) const = default;
};

/// A row-major array of several dimensions, cut in blocks along some of them. Parts are numbered
/// row-major, too.
struct Grid {
    std::vector<BlockDistribution> dimensions;
    bool operator==(const Grid&) const = default;
};

}  // namespace partition

/// Each of the elements 0 .. elements-1 belongs to one of `parts` parts. A part keeps its elements
/// one after the other, in rising order: that is what a local index counts. Exact up to 2^62
/// elements.
///
/// Example: cyclic(10, 2, 3): part 0 holds [0,3) [6,9), part 1 holds [3,6) [9,10); element 7 is
/// part 0's, where its local index is 4.
class Partition {
  public:
    /// Blocks that differ by one element at most.
    Partition(const BlockDistribution& blocks);  // NOLINT(google-explicit-constructor): it is one
    /// Part i begins at elements * (weights before i) / (all weights), rounded up. Throws
    /// InputError when there is no weight, one is negative, all are 0, or their sum is above 2^62.
    static Partition weighted(std::int64_t elements, const std::vector<std::int64_t>& weights);
    /// Consecutive blocks: where each begins, and where the last one ends. Throws InputError when
    /// that does not rise from 0.
    static Partition consecutive(std::vector<std::int64_t> begins);
    /// Throws InputError when `block` is below 1.
    static Partition cyclic(std::int64_t elements, int parts, std::int64_t block);
    /// Throws InputError that names the first element which belongs to no part, to two, or to none
    /// of the array, and ranges of a part that do not rise.
    static Partition listed(std::int64_t elements, const std::vector<std::vector<Range>>& by_part);
    /// `extents` of the array, and parts along each dimension. Throws InputError when the lists
    /// differ in length, are empty, hold a negative extent or less than one part, or give more
    /// than 2^62 elements or 2^31 parts.
    static Partition grid(const std::vector<std::int64_t>& extents, const std::vector<int>& parts);

    [[nodiscard]] std::int64_t elements() const;
    [[nodiscard]] int parts() const;
    /// Elements of a part. Precondition, here and below: 0 <= part < parts().
    [[nodiscard]] std::int64_t count(int part) const;
    /// Rising, none empty, none next to another.
    [[nodiscard]] std::vector<Range> ranges(int part) const;
    /// The part that holds an element. Precondition: 0 <= element < elements().
    [[nodiscard]] int owner(std::int64_t element) const;
    /// Where elements end that follow this one in the same part, without a gap; it may name an
    /// earlier end. Precondition: 0 <= element < elements().
    [[nodiscard]] std::int64_t run_end(std::int64_t element) const;
    /// Precondition: owner(element) == part.
    [[nodiscard]] std::int64_t to_local(int part, std::int64_t element) const;
    /// Precondition: 0 <= local < count(part).
    [[nodiscard]] std::int64_t to_global(int part, std::int64_t local) const;

    /// For who writes it down.
    using Shape = std::variant<BlockDistribution, partition::Weighted, partition::Cyclic,
                               partition::Listed, partition::Grid>;
    [[nodiscard]] const Shape& shape() const { return shape_; }

    bool operator==(const Partition&) const = default;

  private:
    explicit Partition(Shape shape) : shape_(std::move(shape)) {}
    Shape shape_;
};

}  // namespace ductile::plan
