// Memory of present or past arrays in which some accesses are forbidden. After a forbidden access
// NamedRanges tells the name of the array.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace ductile::check {

struct MemoryRange {
    std::byte* begin = nullptr;
    std::size_t bytes = 0;
    bool operator==(const MemoryRange&) const = default;
};

/// Keeps the last `kept` ranges. Only one thread at a time may call add() and remove(). Any thread
/// may call array_at() at any time, also in a signal handler.
class NamedRanges {
  public:
    static constexpr std::size_t kept = 1024;
    static constexpr std::size_t name_bytes = 64;  ///< of an array; longer names are cut

    /// Adds a range. Returns the range that it replaces, if there is one.
    std::optional<MemoryRange> add(MemoryRange range, const char* array);
    /// Removes the range that begins at `begin`, if it is kept.
    void remove(const std::byte* begin);
    /// The array to which the address belongs or belonged. Null: it is in none of the ranges.
    [[nodiscard]] const char* array_at(const void* address) const;

  private:
    struct Entry {
        std::atomic<std::byte*> begin{nullptr};
        std::atomic<std::size_t> bytes{0};
        std::array<char, name_bytes> array{};
    };
    std::array<Entry, kept> entries_;
    std::size_t next_ = 0;
};

}  // namespace ductile::check
