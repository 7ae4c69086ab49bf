#include "data/departed_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <iterator>

namespace ductile::data {

namespace {

// Ranges that touch become one.
void join(std::map<std::uintptr_t, std::uintptr_t>& ranges, std::uintptr_t begin,
          std::uintptr_t end) {
    auto next = ranges.upper_bound(begin);
    if (next != ranges.begin() && std::prev(next)->second >= begin) {
        --next;
        begin = next->first;
    }
    while (next != ranges.end() && next->first <= end) {
        end = std::max(end, next->second);
        next = ranges.erase(next);
    }
    ranges[begin] = end;
}

std::uintptr_t address(const std::byte* memory) {
    return std::bit_cast<std::uintptr_t>(memory);
}

bool is_plain(const Block& part) {
    const auto& memory = part.rows ? part.rows->values : part.memory;
    const auto* owner = std::get_deleter<FreeMemory>(memory);
    return owner != nullptr && owner->is_ours && !owner->is_checked;
}

}  // namespace

DepartedMemory::DepartedMemory(const std::vector<Outgoing>& arrays) {
    for (const auto& array : arrays) {
        const auto& part = array.old_part;
        if (!part.partition || !is_plain(part)) continue;
        const auto begin = address(memory_at(array.spec, part, 0));
        const auto bytes = bytes_of(array.spec, part, 0, part.count);
        if (bytes > 0) ours_[begin] = begin + static_cast<std::uintptr_t>(bytes);
    }
}

void DepartedMemory::add(const LocalMoves& moves) {
    for (const auto& packet : moves.sent)
        for (const auto& segment : packet.segments)
            add(segment.memory, static_cast<std::size_t>(segment.bytes));
    for (const auto& kept : moves.kept) add(kept.from, kept.bytes);
}

void DepartedMemory::add(const std::byte* memory, std::size_t bytes) {
    bytes_ += static_cast<std::int64_t>(bytes);
    const auto begin = address(memory);
    const auto part = ours_.upper_bound(begin);
    if (part != ours_.begin() && begin < std::prev(part)->second)
        join(departed_, begin, begin + bytes);
}

void DepartedMemory::give_back() const {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    for (const auto& [begin, end] : departed_) {
        const auto first = (begin + page - 1) / page * page;
        const auto last = end / page * page;
        // A page that stays is no error: it is freed with its part.
        if (first < last) madvise(std::bit_cast<void*>(first), last - first, MADV_DONTNEED);
    }
}

}  // namespace ductile::data
