// Requested sizes: one size, or a range of sizes.
#pragma once

#include <string>
#include <string_view>

namespace ductile::core {

/// The sizes from `lower` to `upper`, both included, in ranks or in hosts. If both are equal, the
/// range is one size.
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

/// Reads "8" or "2:8". Throws InputError for any other text, for a size outside 1 to `most`, and
/// for a range whose begin is above its end. The message begins with `option`.
SizeRange parse_size_range(const std::string& option, std::string_view text, int most);

}  // namespace ductile::core
