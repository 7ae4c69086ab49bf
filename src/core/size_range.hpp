// Sizes that somebody asks for: one, or a range of them.
#pragma once

#include <string>
#include <string_view>

namespace ductile::core {

/// The sizes from `lower` to `upper`, both included, in ranks or in hosts. One size where both are
/// the same.
struct SizeRange {
    int lower = 1;
    int upper = 1;

    [[nodiscard]] static constexpr SizeRange exactly(int size) { return {size, size}; }
    [[nodiscard]] constexpr bool is_one() const { return lower == upper; }
    [[nodiscard]] constexpr bool holds(int size) const { return lower <= size && size <= upper; }
    bool operator==(const SizeRange&) const = default;
};

/// "8", "2:8"
std::string to_string(const SizeRange& range);

/// Reads "8" or "2:8". Throws InputError that begins with `option` for any other text, for a size
/// that is not from 1 to `most`, and for a range that begins above its end.
SizeRange parse_size_range(const std::string& option, std::string_view text, int most);

}  // namespace ductile::core
