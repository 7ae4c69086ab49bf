// Packs several replicated values as one: for each value, the number of its bytes and the bytes.
#include <cstring>
#include <optional>

#include "ductile/replicated.hpp"

namespace ductile::detail {

namespace {

void put(std::string& packed, const std::string& bytes) {
    const std::uint64_t length = bytes.size();
    packed.append(reinterpret_cast<const char*>(&length), sizeof(length));
    packed += bytes;
}

// Takes the bytes of the next value off the front. Returns nullopt if they are incomplete.
std::optional<std::string_view> take(std::string_view& packed) {
    std::uint64_t length = 0;
    if (packed.size() < sizeof(length)) return std::nullopt;
    std::memcpy(&length, packed.data(), sizeof(length));
    packed.remove_prefix(sizeof(length));
    if (packed.size() < length) return std::nullopt;
    const auto bytes = packed.substr(0, length);
    packed.remove_prefix(length);
    return bytes;
}

}  // namespace

std::string ListAccess::pack() const {
    std::string packed;
    for (const auto& value : values_) put(packed, value->pack());
    return packed;
}

bool ListAccess::accepts(std::string_view packed) const {
    for (const auto& value : values_) {
        const auto bytes = take(packed);
        if (!bytes || !value->accepts(*bytes)) return false;
    }
    return packed.empty();
}

void ListAccess::unpack(std::string_view packed) {
    for (const auto& value : values_) value->unpack(take(packed).value());
}

}  // namespace ductile::detail
