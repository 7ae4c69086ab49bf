// JSON as one line of ASCII. Its strings may hold any bytes, such as an environment variable, an
// argument or a file name. Pure.
#pragma once

#include <string>
#include <string_view>

#include "wire/fields.hpp"

namespace ductile::wire {

/// Encodes each byte of a string as the character with the number of the byte (Latin-1). So bytes
/// that are not UTF-8 come back unchanged.
std::string to_line(Json json);
/// The reverse of to_line(). Throws InputError when the line is not JSON, or was not made by
/// to_line().
Json from_line(std::string_view line);

}  // namespace ductile::wire
