// The output of munge's commands. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ductile::site {

/// What munge says about a credential: who made it, and what it says.
struct Opened {
    std::uint32_t user = 0;
    std::string payload;
    bool operator==(const Opened&) const = default;
};
/// The credential that `munge` writes, without its newline. Throws InputError if it is none.
std::string parse_sealed(std::string_view output);
/// Parses the output of `unmunge --numeric --keys=UID`: a line for the key, an empty line, and the
/// payload. Throws InputError if it is not of this form.
Opened parse_opened(std::string_view output);

}  // namespace ductile::site
