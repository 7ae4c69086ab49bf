#include "check/named_ranges.hpp"

#include <cstring>

namespace ductile::check {

std::optional<MemoryRange> NamedRanges::add(MemoryRange range, const char* array) {
    auto& entry = entries_[next_++ % kept];
    const MemoryRange before{entry.begin, entry.bytes};
    entry.bytes = 0;  // no thread finds the entry while it changes
    entry.begin = range.begin;
    const auto length = ::strnlen(array, name_bytes - 1);
    std::memcpy(entry.array.data(), array, length);
    entry.array[length] = '\0';
    entry.bytes = range.bytes;
    if (before.bytes == 0) return std::nullopt;
    return before;
}

void NamedRanges::remove(const std::byte* begin) {
    for (auto& entry : entries_)
        if (entry.begin == begin) entry.bytes = 0;
}

const char* NamedRanges::array_at(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    for (const auto& entry : entries_) {
        const auto begin = reinterpret_cast<std::uintptr_t>(entry.begin.load());
        if (at >= begin && at - begin < entry.bytes) return entry.array.data();
    }
    return nullptr;
}

}  // namespace ductile::check
