// The first bytes of a connection. Pure.
#pragma once

#include <string_view>

namespace ductile::wire {

enum class Hello {
    incomplete,  ///< the bytes so far may begin a ClientHello
    complete,    ///< one TLS record that holds a whole ClientHello (RFC 8446, sections 4 and 5.1)
    none,        ///< something else, or a ClientHello that does not fill exactly one record
};

/// Classifies a client's first bytes. A client sends its ClientHello, one record, before anything
/// else.
[[nodiscard]] Hello hello_in(std::string_view bytes);

}  // namespace ductile::wire
