// Which part holds which elements of an array: the result of a distribution rule for a number of
// parts.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "ductile/range.hpp"
#include "plan/distribution.hpp"

namespace ductile::plan {

namespace partition {

/// Consecutive blocks, whose sizes are proportional to the weights of their parts.
struct Weighted {
    std::vector<std::int64_t> begins;  ///< the begin of each part, then the number of elements
    bool operator==(const Weighted&) const = default;
};

/// Blocks of `block` elements, dealt out to the parts in turn.
struct Cyclic {
    std::int64_t elements = 0;
    int parts = 1;
    std::int64_t block = 1;
    bool operator==(const Cyclic&) const = default;
};

/// Ranges that the program lists.
struct Listed {
    struct Run {
        Range range;
        int part = 0;
        std::int64_t local = 0;  ///< number of elements that the part holds before this range
        bool operator==(const Run&) const = default;
    };
    std::vector<Run> runs;  ///< the ranges of all parts, rising
    std::vector<std::vector<Range>> by_part;
    std::int64_t elements = 0;
    bool operator==(const Listed&) const = default;
};

/// A row-major array of several dimensions, cut into blocks along some of them. Parts are numbered
/// in row-major order, too.
struct Grid {
    std::vector<BlockDistribution> dimensions;
    bool operator==(const Grid&) const = default;
};

}  // namespace partition

/// Each of the elements 0 .. elements-1 belongs to one of `parts` parts. A part stores its elements
/// one after the other, in rising order. A local index counts in this order. Exact up to 2^62
/// elements.
///
/// Example: cyclic(10, 2, 3): part 0 holds [0,3) [6,9), part 1 holds [3,6) [9,10); element 7 is
/// part 0's, where its local index is 4.
class Partition {
  public:
    /// Blocks whose sizes differ by one element at most.
    Partition(const BlockDistribution& blocks);  // NOLINT(google-explicit-constructor): it is one
    /// Part i begins at elements * (weights before i) / (all weights), rounded up. Throws
    /// InputError if there is no weight, one is negative, all are 0, or their sum is above 2^62.
    static Partition weighted(std::int64_t elements, const std::vector<std::int64_t>& weights);
    /// Consecutive blocks. `begins` holds the begin of each block, and the end of the last one.
    /// Throws InputError if it does not rise from 0.
    static Partition consecutive(std::vector<std::int64_t> begins);
    /// Throws InputError if `block` is below 1.
    static Partition cyclic(std::int64_t elements, int parts, std::int64_t block);
    /// Throws InputError if the ranges of a part do not rise, or if an element belongs to no part,
    /// to two parts, or is outside the array. The error names the first such element.
    static Partition listed(std::int64_t elements, const std::vector<std::vector<Range>>& by_part);
    /// `extents` of the array, and the number of parts along each dimension. Throws InputError if
    /// the lists differ in length, are empty, hold a negative extent or less than one part, or give
    /// more than 2^62 elements, or 2^31 parts or more.
    static Partition grid(const std::vector<std::int64_t>& extents, const std::vector<int>& parts);

    [[nodiscard]] std::int64_t elements() const;
    [[nodiscard]] int parts() const;
    /// The number of elements of a part. Precondition, here and below: 0 <= part < parts().
    [[nodiscard]] std::int64_t count(int part) const;
    /// The ranges of a part, rising. No range is empty, and no two ranges touch.
    [[nodiscard]] std::vector<Range> ranges(int part) const;
    /// The part that holds an element. Precondition: 0 <= element < elements().
    [[nodiscard]] int owner(std::int64_t element) const;
    /// The end of a range that begins with this element and belongs to one part. The elements after
    /// this end may belong to the same part, too. Precondition: 0 <= element < elements().
    [[nodiscard]] std::int64_t run_end(std::int64_t element) const;
    /// Precondition: owner(element) == part.
    [[nodiscard]] std::int64_t to_local(int part, std::int64_t element) const;
    /// Precondition: 0 <= local < count(part).
    [[nodiscard]] std::int64_t to_global(int part, std::int64_t local) const;

    /// The shape, for code that stores or sends a partition.
    using Shape = std::variant<BlockDistribution, partition::Weighted, partition::Cyclic,
                               partition::Listed, partition::Grid>;
    [[nodiscard]] const Shape& shape() const { return shape_; }

    bool operator==(const Partition&) const = default;

  private:
    explicit Partition(Shape shape) : shape_(std::move(shape)) {}
    Shape shape_;
};

}  // namespace ductile::plan
