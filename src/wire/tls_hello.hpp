// The first bytes of a connection. Pure.
#pragma once

#include <string_view>

namespace ductile::wire {

enum class Hello {
    incomplete,  ///< so far it may become one
    complete,    ///< one TLS record with a whole ClientHello in it (RFC 8446, sections 4 and 5.1)
    none,        ///< the beginning of something else, or of one that is longer than its record
};

/// What a client's first bytes are: it sends its ClientHello, one record, before anything else.
[[nodiscard]] Hello hello_in(std::string_view bytes);

}  // namespace ductile::wire
