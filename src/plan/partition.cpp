#include "plan/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/contract.hpp"
#include "ductile/error.hpp"

namespace ductile::plan {

namespace {

using partition::Cyclic;
using partition::Grid;
using partition::Listed;
using partition::Weighted;

constexpr std::int64_t most_elements = std::int64_t{1} << 62;

__extension__ using Wide = __int128;

void expect_elements(std::int64_t elements) {
    if (elements < 0 || elements > most_elements)
        throw InputError(fmt::format("an array has 0 to 2^62 elements, not {}", elements));
}

void append(std::vector<Range>& ranges, Range next) {
    if (next.count() == 0) return;
    if (!ranges.empty() && ranges.back().end == next.begin)
        ranges.back().end = next.end;
    else
        ranges.push_back(next);
}

// Blocks, equal ones or weighted.

std::int64_t begin_of(const BlockDistribution& blocks, int part) {
    return blocks.begin(part);
}
std::int64_t begin_of(const Weighted& blocks, int part) {
    return blocks.begins[static_cast<std::size_t>(part)];
}

std::int64_t elements_of(const BlockDistribution& blocks) {
    return blocks.elements;
}
std::int64_t elements_of(const Weighted& blocks) {
    return blocks.begins.back();
}

int parts_of(const BlockDistribution& blocks) {
    return blocks.parts;
}
int parts_of(const Weighted& blocks) {
    return static_cast<int>(blocks.begins.size()) - 1;
}

int owner_in(const BlockDistribution& blocks, std::int64_t element) {
    return blocks.owner(element);
}
int owner_in(const Weighted& blocks, std::int64_t element) {
    const auto after = std::ranges::upper_bound(blocks.begins, element);
    return static_cast<int>(after - blocks.begins.begin()) - 1;
}

template <class Blocks>
std::int64_t count_in(const Blocks& blocks, int part) {
    return begin_of(blocks, part + 1) - begin_of(blocks, part);
}
template <class Blocks>
std::vector<Range> ranges_in(const Blocks& blocks, int part) {
    std::vector<Range> ranges;
    append(ranges, {begin_of(blocks, part), begin_of(blocks, part + 1)});
    return ranges;
}
template <class Blocks>
std::int64_t run_end_in(const Blocks& blocks, std::int64_t element) {
    return begin_of(blocks, owner_in(blocks, element) + 1);
}
template <class Blocks>
std::int64_t local_in(const Blocks& blocks, int part, std::int64_t element) {
    return element - begin_of(blocks, part);
}
template <class Blocks>
std::int64_t global_in(const Blocks& blocks, int part, std::int64_t local) {
    return begin_of(blocks, part) + local;
}

// Blocks in turn.

std::int64_t elements_of(const Cyclic& cyclic) {
    return cyclic.elements;
}
int parts_of(const Cyclic& cyclic) {
    return cyclic.parts;
}
std::int64_t count_in(const Cyclic& cyclic, int part) {
    const std::int64_t whole_blocks = cyclic.elements / cyclic.block;
    const std::int64_t mine = whole_blocks / cyclic.parts + (part < whole_blocks % cyclic.parts);
    const bool has_last = whole_blocks % cyclic.parts == part;
    return mine * cyclic.block + (has_last ? cyclic.elements % cyclic.block : 0);
}
std::int64_t global_in(const Cyclic& cyclic, int part, std::int64_t local) {
    const std::int64_t turn = local / cyclic.block;
    return (turn * cyclic.parts + part) * cyclic.block + local % cyclic.block;
}
std::vector<Range> ranges_in(const Cyclic& cyclic, int part) {
    std::vector<Range> ranges;
    const std::int64_t count = count_in(cyclic, part);
    for (std::int64_t local = 0; local < count; local += cyclic.block) {
        const std::int64_t begin = global_in(cyclic, part, local);
        append(ranges, {begin, begin + std::min(cyclic.block, count - local)});
    }
    return ranges;
}
int owner_in(const Cyclic& cyclic, std::int64_t element) {
    return static_cast<int>(element / cyclic.block % cyclic.parts);
}
std::int64_t run_end_in(const Cyclic& cyclic, std::int64_t element) {
    const std::int64_t left_in_block = cyclic.block - element % cyclic.block;
    return element + std::min(left_in_block, cyclic.elements - element);
}
std::int64_t local_in(const Cyclic& cyclic, int, std::int64_t element) {
    return element / cyclic.block / cyclic.parts * cyclic.block + element % cyclic.block;
}

// Ranges that were named.

std::int64_t elements_of(const Listed& listed) {
    return listed.elements;
}
int parts_of(const Listed& listed) {
    return static_cast<int>(listed.by_part.size());
}
std::int64_t count_in(const Listed& listed, int part) {
    std::int64_t count = 0;
    for (const auto& range : listed.by_part[static_cast<std::size_t>(part)]) count += range.count();
    return count;
}
std::vector<Range> ranges_in(const Listed& listed, int part) {
    return listed.by_part[static_cast<std::size_t>(part)];
}
const Listed::Run& run_at(const Listed& listed, std::int64_t element) {
    const auto after = std::ranges::upper_bound(
        listed.runs, element, {}, [](const Listed::Run& run) { return run.range.begin; });
    return *(after - 1);
}
int owner_in(const Listed& listed, std::int64_t element) {
    return run_at(listed, element).part;
}
std::int64_t run_end_in(const Listed& listed, std::int64_t element) {
    return run_at(listed, element).range.end;
}
std::int64_t local_in(const Listed& listed, int, std::int64_t element) {
    const auto& run = run_at(listed, element);
    return run.local + element - run.range.begin;
}
std::int64_t global_in(const Listed& listed, int part, std::int64_t local) {
    for (const auto& range : listed.by_part[static_cast<std::size_t>(part)]) {
        if (local < range.count()) return range.begin + local;
        local -= range.count();
    }
    return listed.elements;  // a broken precondition
}

// Several dimensions.

std::int64_t elements_of(const Grid& grid) {
    std::int64_t elements = 1;
    for (const auto& dimension : grid.dimensions) elements *= dimension.elements;
    return elements;
}
int parts_of(const Grid& grid) {
    int parts = 1;
    for (const auto& dimension : grid.dimensions) parts *= dimension.parts;
    return parts;
}

// The elements of a part along each dimension.
std::vector<Range> box_of(const Grid& grid, int part) {
    std::vector<Range> box(grid.dimensions.size());
    for (std::size_t i = box.size(); i-- > 0;) {
        const auto& dimension = grid.dimensions[i];
        const int at = part % dimension.parts;
        box[i] = {dimension.begin(at), dimension.end(at)};
        part /= dimension.parts;
    }
    return box;
}

std::int64_t count_in(const Grid& grid, int part) {
    std::int64_t count = 1;
    for (const auto& side : box_of(grid, part)) count *= side.count();
    return count;
}

int owner_in(const Grid& grid, std::int64_t element) {
    int part = 0;
    int stride = 1;
    for (std::size_t i = grid.dimensions.size(); i-- > 0;) {
        const auto& dimension = grid.dimensions[i];
        part += stride * dimension.owner(element % dimension.elements);
        stride *= dimension.parts;
        element /= dimension.elements;
    }
    return part;
}

// The last dimension that is cut, and how many elements one step along it has.
std::pair<std::size_t, std::int64_t> innermost_cut(const Grid& grid) {
    std::size_t at = grid.dimensions.size() - 1;
    std::int64_t step = 1;
    for (; at > 0 && grid.dimensions[at].parts == 1; --at) step *= grid.dimensions[at].elements;
    return {at, step};
}

std::int64_t run_end_in(const Grid& grid, std::int64_t element) {
    const auto [at, step] = innermost_cut(grid);
    const auto& dimension = grid.dimensions[at];
    const std::int64_t along = element / step % dimension.elements;
    return (element / step + dimension.end(dimension.owner(along)) - along) * step;
}

std::int64_t local_in(const Grid& grid, int part, std::int64_t element) {
    const auto box = box_of(grid, part);
    std::int64_t local = 0;
    std::int64_t stride = 1;
    for (std::size_t i = box.size(); i-- > 0;) {
        local += stride * (element % grid.dimensions[i].elements - box[i].begin);
        stride *= box[i].count();
        element /= grid.dimensions[i].elements;
    }
    return local;
}

std::int64_t global_in(const Grid& grid, int part, std::int64_t local) {
    const auto box = box_of(grid, part);
    std::int64_t element = 0;
    std::int64_t stride = 1;
    for (std::size_t i = box.size(); i-- > 0;) {
        element += stride * (local % box[i].count() + box[i].begin);
        stride *= grid.dimensions[i].elements;
        local /= box[i].count();
    }
    return element;
}

std::vector<Range> ranges_in(const Grid& grid, int part) {
    std::vector<Range> ranges;
    const std::int64_t count = count_in(grid, part);
    for (std::int64_t local = 0; local < count;) {
        const std::int64_t begin = global_in(grid, part, local);
        const std::int64_t end = run_end_in(grid, begin);
        append(ranges, {begin, end});
        local += end - begin;
    }
    return ranges;
}

// The parts of a list, as they follow each other in the array.
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
            throw InputError(fmt::format("element {} is part {}'s and part {}'s", run.range.begin,
                                         last->part, run.part));
        covered = run.range.end;
        last = &run;
    }
    if (covered < elements) throw InputError(fmt::format("element {} is no part's", covered));
}

}  // namespace

Partition::Partition(const BlockDistribution& blocks) : shape_(blocks) {}

Partition Partition::weighted(std::int64_t elements, const std::vector<std::int64_t>& weights) {
    expect_elements(elements);
    std::int64_t sum = 0;
    for (const auto weight : weights) {
        if (weight < 0 || weight > most_elements - sum)
            throw InputError(fmt::format("weights of parts are 0 to 2^62 in all, not {}", weight));
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
    // A larger one is the same, and would overflow.
    return Partition(
        Shape{Cyclic{elements, parts, std::min(block, std::max<std::int64_t>(elements, 1))}});
}

Partition Partition::listed(std::int64_t elements, const std::vector<std::vector<Range>>& by_part) {
    expect_elements(elements);
    if (by_part.empty()) throw InputError("there are ranges of no part");
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
        throw InputError(fmt::format("an array of {} dimensions cannot be cut along {}",
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
