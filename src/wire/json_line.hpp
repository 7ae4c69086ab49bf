// JSON as one line of ASCII, where strings may hold any bytes: a variable of the environment, an
// argument, a file's name. Pure.
#pragma once

#include <string>
#include <string_view>

#include "wire/fields.hpp"

namespace ductile::wire {

/// Each byte of a string stands as the character of its number, as in Latin-1, so that what is no
/// UTF-8 comes back as it was.
std::string to_line(Json json);
/// The reverse. Throws InputError when the line is not JSON, or not of to_line's making.
Json from_line(std::string_view line);

}  // namespace ductile::wire
