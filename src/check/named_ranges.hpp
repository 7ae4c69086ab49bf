// Where memory of arrays is, or was, that must not be used in some way: to tell who does so.
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

/// The last `kept` of them. add() and remove() by one thread at a time; array_at() by any thread at
/// any time, a signal handler included.
class NamedRanges {
  public:
    static constexpr std::size_t kept = 1024;
    static constexpr std::size_t name_bytes = 64;  ///< of an array; longer names are cut

    /// The range that is remembered no longer in its stead.
    std::optional<MemoryRange> add(MemoryRange range, const char* array);
    /// What begins there, if it is remembered.
    void remove(const std::byte* begin);
    /// Whose the address is or was; null: it is in none of them.
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
