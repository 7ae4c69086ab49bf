// JSON text from outside: a line of a file, the answer of another process. Pure.
#pragma once

#include <string>
#include <string_view>

#include "wire/fields.hpp"

namespace ductile::wire {

/// Parses one JSON text of at most 64 nested lists and objects, so that a recursion over the result
/// is bounded. Throws InputError that begins with `what`.
Json parse_json(std::string_view text, const std::string& what);

}  // namespace ductile::wire
