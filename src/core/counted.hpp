// A number with its noun, as text.
#pragma once

#include <fmt/format.h>

#include <string>

namespace ductile::core {

/// "1 rank", "2 ranks".
template <class Number>
std::string counted(Number count, const char* noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace ductile::core
