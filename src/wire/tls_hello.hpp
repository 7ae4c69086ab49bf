// The first bytes of a connection. Pure.
#pragma once

#include <string_view>

namespace ductile::wire {

enum class Hello {
    incomplete,  ///< so far it may become one
    complete,    ///< a whole TLS record of a handshake (RFC 8446, section 5.1)
    none,        ///< the beginning of something else, or longer than a ClientHello may be here
};

/// What a client's first bytes are: it sends its ClientHello, one record, before anything else.
[[nodiscard]] Hello hello_in(std::string_view bytes);

}  // namespace ductile::wire
