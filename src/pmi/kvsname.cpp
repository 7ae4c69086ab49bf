#include "pmi/kvsname.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ductile::pmi {
namespace {

constexpr std::size_t max_characters = 127;

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

}  // namespace

KvsName::KvsName(RandomBits bits)
    : text_(fmt::format("ductile_{:016x}{:016x}", bits.high, bits.low)) {}

std::optional<KvsName> KvsName::from_text(std::string_view text) {
    if (text.empty() || text.size() > max_characters || text.starts_with("singinit"))
        return std::nullopt;
    if (!std::all_of(text.begin(), text.end(), is_name_character)) return std::nullopt;
    return KvsName(std::string(text));
}

}  // namespace ductile::pmi
