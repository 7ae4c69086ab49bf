// The functions of each shape of a partition (partition.hpp). Only partition.cpp includes this
// file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "plan/partition.hpp"

namespace ductile::plan::partition {

inline void append(std::vector<Range>& ranges, Range next) {
    if (next.count() == 0) return;
    if (!ranges.empty() && ranges.back().end == next.begin)
        ranges.back().end = next.end;
    else
        ranges.push_back(next);
}

// ---- equal and weighted blocks ----

inline std::int64_t begin_of(const BlockDistribution& blocks, int part) {
    return blocks.begin(part);
}
inline std::int64_t begin_of(const Weighted& blocks, int part) {
    return blocks.begins[static_cast<std::size_t>(part)];
}

inline std::int64_t elements_of(const BlockDistribution& blocks) {
    return blocks.elements;
}
inline std::int64_t elements_of(const Weighted& blocks) {
    return blocks.begins.back();
}

inline int parts_of(const BlockDistribution& blocks) {
    return blocks.parts;
}
inline int parts_of(const Weighted& blocks) {
    return static_cast<int>(blocks.begins.size()) - 1;
}

inline int owner_in(const BlockDistribution& blocks, std::int64_t element) {
    return blocks.owner(element);
}
inline int owner_in(const Weighted& blocks, std::int64_t element) {
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

// ---- blocks in turn ----

inline std::int64_t elements_of(const Cyclic& cyclic) {
    return cyclic.elements;
}
inline int parts_of(const Cyclic& cyclic) {
    return cyclic.parts;
}
inline std::int64_t count_in(const Cyclic& cyclic, int part) {
    const std::int64_t whole_blocks = cyclic.elements / cyclic.block;
    const std::int64_t mine = whole_blocks / cyclic.parts + (part < whole_blocks % cyclic.parts);
    const bool has_last = whole_blocks % cyclic.parts == part;
    return mine * cyclic.block + (has_last ? cyclic.elements % cyclic.block : 0);
}
inline std::int64_t global_in(const Cyclic& cyclic, int part, std::int64_t local) {
    const std::int64_t turn = local / cyclic.block;
    return (turn * cyclic.parts + part) * cyclic.block + local % cyclic.block;
}
inline std::vector<Range> ranges_in(const Cyclic& cyclic, int part) {
    std::vector<Range> ranges;
    const std::int64_t count = count_in(cyclic, part);
    for (std::int64_t local = 0; local < count; local += cyclic.block) {
        const std::int64_t begin = global_in(cyclic, part, local);
        append(ranges, {begin, begin + std::min(cyclic.block, count - local)});
    }
    return ranges;
}
inline int owner_in(const Cyclic& cyclic, std::int64_t element) {
    return static_cast<int>(element / cyclic.block % cyclic.parts);
}
inline std::int64_t run_end_in(const Cyclic& cyclic, std::int64_t element) {
    const std::int64_t left_in_block = cyclic.block - element % cyclic.block;
    return element + std::min(left_in_block, cyclic.elements - element);
}
inline std::int64_t local_in(const Cyclic& cyclic, int, std::int64_t element) {
    return element / cyclic.block / cyclic.parts * cyclic.block + element % cyclic.block;
}

// ---- listed ranges ----

inline std::int64_t elements_of(const Listed& listed) {
    return listed.elements;
}
inline int parts_of(const Listed& listed) {
    return static_cast<int>(listed.by_part.size());
}
inline std::int64_t count_in(const Listed& listed, int part) {
    std::int64_t count = 0;
    for (const auto& range : listed.by_part[static_cast<std::size_t>(part)]) count += range.count();
    return count;
}
inline std::vector<Range> ranges_in(const Listed& listed, int part) {
    return listed.by_part[static_cast<std::size_t>(part)];
}
inline const Listed::Run& run_at(const Listed& listed, std::int64_t element) {
    const auto after = std::ranges::upper_bound(
        listed.runs, element, {}, [](const Listed::Run& run) { return run.range.begin; });
    return *(after - 1);
}
inline int owner_in(const Listed& listed, std::int64_t element) {
    return run_at(listed, element).part;
}
inline std::int64_t run_end_in(const Listed& listed, std::int64_t element) {
    return run_at(listed, element).range.end;
}
inline std::int64_t local_in(const Listed& listed, int, std::int64_t element) {
    const auto& run = run_at(listed, element);
    return run.local + element - run.range.begin;
}
inline std::int64_t global_in(const Listed& listed, int part, std::int64_t local) {
    for (const auto& range : listed.by_part[static_cast<std::size_t>(part)]) {
        if (local < range.count()) return range.begin + local;
        local -= range.count();
    }
    return listed.elements;  // a broken precondition
}

// ---- several dimensions ----

inline std::int64_t elements_of(const Grid& grid) {
    std::int64_t elements = 1;
    for (const auto& dimension : grid.dimensions) elements *= dimension.elements;
    return elements;
}
inline int parts_of(const Grid& grid) {
    int parts = 1;
    for (const auto& dimension : grid.dimensions) parts *= dimension.parts;
    return parts;
}

// The range of a part's elements along each dimension.
inline std::vector<Range> box_of(const Grid& grid, int part) {
    std::vector<Range> box(grid.dimensions.size());
    for (std::size_t i = box.size(); i-- > 0;) {
        const auto& dimension = grid.dimensions[i];
        const int at = part % dimension.parts;
        box[i] = {dimension.begin(at), dimension.end(at)};
        part /= dimension.parts;
    }
    return box;
}

inline std::int64_t count_in(const Grid& grid, int part) {
    std::int64_t count = 1;
    for (const auto& side : box_of(grid, part)) count *= side.count();
    return count;
}

inline int owner_in(const Grid& grid, std::int64_t element) {
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

// The last dimension that is cut, and the number of elements in one step along it.
inline std::pair<std::size_t, std::int64_t> innermost_cut(const Grid& grid) {
    std::size_t at = grid.dimensions.size() - 1;
    std::int64_t step = 1;
    for (; at > 0 && grid.dimensions[at].parts == 1; --at) step *= grid.dimensions[at].elements;
    return {at, step};
}

inline std::int64_t run_end_in(const Grid& grid, std::int64_t element) {
    const auto [at, step] = innermost_cut(grid);
    const auto& dimension = grid.dimensions[at];
    const std::int64_t along = element / step % dimension.elements;
    return (element / step + dimension.end(dimension.owner(along)) - along) * step;
}

inline std::int64_t local_in(const Grid& grid, int part, std::int64_t element) {
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

inline std::int64_t global_in(const Grid& grid, int part, std::int64_t local) {
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

inline std::vector<Range> ranges_in(const Grid& grid, int part) {
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

}  // namespace ductile::plan::partition
