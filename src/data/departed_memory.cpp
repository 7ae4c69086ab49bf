#include "data/departed_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <iterator>

namespace ductile::data {

namespace {

struct AddressRange {
    std::uintptr_t begin = 0, end = 0;
};

// Adds a range, and merges the ranges that it touches. Returns the merged range.
AddressRange join(std::map<std::uintptr_t, std::uintptr_t>& ranges, std::uintptr_t begin,
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
    return {begin, end};
}

std::uintptr_t page_bytes() {
    static const auto bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

// Gives back the pages that `added` touches and that lie completely in `whole`.
void give_back(AddressRange added, AddressRange whole) {
    const auto page = page_bytes();
    const auto down = [page](std::uintptr_t at) { return at / page * page; };
    const auto up = [page](std::uintptr_t at) { return (at + page - 1) / page * page; };
    const auto first = std::max(up(whole.begin), down(added.begin));
    const auto last = std::min(down(whole.end), up(added.end));
    // A failure is harmless: the pages are then freed with their part.
    if (first < last) madvise(std::bit_cast<void*>(first), last - first, MADV_DONTNEED);
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

void DepartedMemory::add(const std::vector<Departed>& departed) {
    for (const auto& [memory, bytes] : departed) {
        const auto begin = address(memory);
        const auto part = ours_.upper_bound(begin);
        if (part == ours_.begin() || begin >= std::prev(part)->second) continue;
        bytes_ += static_cast<std::int64_t>(bytes);
        give_back({begin, begin + bytes}, join(departed_, begin, begin + bytes));
    }
}

}  // namespace ductile::data
