#include "plan/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/contract.hpp"
#include "ductile/error.hpp"
#include "plan/partition_shapes.hpp"

namespace ductile::plan {

namespace {

using partition::Cyclic;
using partition::Grid;
using partition::Listed;
using partition::Weighted;

using partition::append;
using partition::count_in;
using partition::elements_of;
using partition::global_in;
using partition::local_in;
using partition::owner_in;
using partition::parts_of;
using partition::ranges_in;
using partition::run_end_in;

constexpr std::int64_t most_elements = std::int64_t{1} << 62;

__extension__ using Wide = __int128;

void expect_elements(std::int64_t elements) {
    if (elements < 0 || elements > most_elements)
        throw InputError(fmt::format("an array has 0 to 2^62 elements, not {}", elements));
}

// The listed ranges of all parts, in the order of the array.
std::vector<Listed::Run> runs_of(const std::vector<std::vector<Range>>& by_part) {
    std::vector<Listed::Run> runs;
    for (std::size_t part = 0; part < by_part.size(); ++part) {
        std::int64_t local = 0;
        for (const auto& range : by_part[part]) {
            if (range.count() < 0)
                throw InputError(fmt::format("range [{},{}) of part {} ends before it begins",
                                             range.begin, range.end, part));
            if (local > 0 && range.begin < runs.back().range.end)
                throw InputError(fmt::format("range [{},{}) of part {} is not after [{},{})",
                                             range.begin, range.end, part, runs.back().range.begin,
                                             runs.back().range.end));
            if (range.count() == 0) continue;
            runs.push_back({range, static_cast<int>(part), local});
            local += range.count();
        }
    }
    std::ranges::sort(runs, {}, [](const Listed::Run& run) { return run.range.begin; });
    return runs;
}

void expect_each_once(const std::vector<Listed::Run>& runs, std::int64_t elements) {
    std::int64_t covered = 0;
    const Listed::Run* last = nullptr;
    for (const auto& run : runs) {
        if (run.range.begin < 0 || run.range.end > elements)
            throw InputError(fmt::format("part {} has elements [{},{}) of an array of {}", run.part,
                                         run.range.begin, run.range.end, elements));
        if (run.range.begin > covered) break;
        if (run.range.begin < covered)
            throw InputError(fmt::format("element {} belongs to part {} and to part {}",
                                         run.range.begin, last->part, run.part));
        covered = run.range.end;
        last = &run;
    }
    if (covered < elements) throw InputError(fmt::format("element {} belongs to no part", covered));
}

}  // namespace

Partition::Partition(const BlockDistribution& blocks) : shape_(blocks) {}

Partition Partition::weighted(std::int64_t elements, const std::vector<std::int64_t>& weights) {
    expect_elements(elements);
    std::int64_t sum = 0;
    for (const auto weight : weights) {
        if (weight < 0 || weight > most_elements - sum)
            throw InputError(fmt::format(
                "a part cannot have the weight {}: weights are 0 or more, and 2^62 or less in all",
                weight));
        sum += weight;
    }
    if (sum == 0) throw InputError("no part has a weight above 0");
    Weighted blocks;
    std::int64_t before = 0;
    for (const auto weight : weights) {
        blocks.begins.push_back(
            static_cast<std::int64_t>((static_cast<Wide>(elements) * before + sum - 1) / sum));
        before += weight;
    }
    blocks.begins.push_back(elements);
    return Partition(Shape{std::move(blocks)});
}

Partition Partition::consecutive(std::vector<std::int64_t> begins) {
    if (begins.size() < 2 || begins.front() != 0 || !std::ranges::is_sorted(begins))
        throw InputError("the beginnings of consecutive blocks do not rise from 0");
    expect_elements(begins.back());
    return Partition(Shape{Weighted{std::move(begins)}});
}

Partition Partition::cyclic(std::int64_t elements, int parts, std::int64_t block) {
    expect_elements(elements);
    DUCTILE_EXPECT(parts >= 1);
    if (block < 1) throw InputError(fmt::format("a block has at least 1 element, not {}", block));
    // A larger block gives the same partition, but would overflow.
    return Partition(
        Shape{Cyclic{elements, parts, std::min(block, std::max<std::int64_t>(elements, 1))}});
}

Partition Partition::listed(std::int64_t elements, const std::vector<std::vector<Range>>& by_part) {
    expect_elements(elements);
    if (by_part.empty()) throw InputError("the list of parts is empty");
    Listed listed{runs_of(by_part), {}, elements};
    expect_each_once(listed.runs, elements);
    for (const auto& ranges : by_part) {
        auto& joined = listed.by_part.emplace_back();
        for (const auto& range : ranges) append(joined, range);
    }
    return Partition(Shape{std::move(listed)});
}

Partition Partition::grid(const std::vector<std::int64_t>& extents, const std::vector<int>& parts) {
    if (extents.empty() || extents.size() != parts.size())
        throw InputError(fmt::format("an array of {} dimensions cannot be cut along {} dimensions",
                                     extents.size(), parts.size()));
    Grid grid;
    Wide elements = 1, all_parts = 1;
    for (std::size_t i = 0; i < extents.size(); ++i) {
        expect_elements(extents[i]);
        if (parts[i] < 1)
            throw InputError(fmt::format("dimension {} is cut in {} parts", i, parts[i]));
        grid.dimensions.push_back({extents[i], parts[i]});
        elements *= std::max<std::int64_t>(extents[i], 1);
        all_parts *= parts[i];
        if (elements > most_elements) throw InputError("the array has more than 2^62 elements");
        if (all_parts > std::numeric_limits<int>::max())
            throw InputError("the array is cut in 2^31 parts or more");
    }
    return Partition(Shape{std::move(grid)});
}

std::int64_t Partition::elements() const {
    return std::visit([](const auto& shape) { return elements_of(shape); }, shape_);
}

int Partition::parts() const {
    return std::visit([](const auto& shape) { return parts_of(shape); }, shape_);
}

std::int64_t Partition::count(int part) const {
    DUCTILE_EXPECT(0 <= part && part < parts());
    return std::visit([&](const auto& shape) { return count_in(shape, part); }, shape_);
}

std::vector<Range> Partition::ranges(int part) const {
    DUCTILE_EXPECT(0 <= part && part < parts());
    return std::visit([&](const auto& shape) { return ranges_in(shape, part); }, shape_);
}

int Partition::owner(std::int64_t element) const {
    DUCTILE_EXPECT(0 <= element && element < elements());
    return std::visit([&](const auto& shape) { return owner_in(shape, element); }, shape_);
}

std::int64_t Partition::run_end(std::int64_t element) const {
    DUCTILE_EXPECT(0 <= element && element < elements());
    return std::visit([&](const auto& shape) { return run_end_in(shape, element); }, shape_);
}

std::int64_t Partition::to_local(int part, std::int64_t element) const {
    DUCTILE_EXPECT(owner(element) == part);
    return std::visit([&](const auto& shape) { return local_in(shape, part, element); }, shape_);
}

std::int64_t Partition::to_global(int part, std::int64_t local) const {
    DUCTILE_EXPECT(0 <= local && local < count(part));
    return std::visit([&](const auto& shape) { return global_in(shape, part, local); }, shape_);
}

}  // namespace ductile::plan
