// Checks bytes of CBOR before a parser reads them. Pure.
#pragma once

#include <string_view>

namespace ductile::wire {

/// Deepest nesting of lists and maps in a message.
inline constexpr int max_cbor_depth = 24;

/// Throws InputError unless `bytes` hold exactly one CBOR item (RFC 8949) of the kinds that
/// to_frame writes: definite lengths, maps with text keys, no tags, no length beyond the end, at
/// most max_cbor_depth nested lists or maps. The time is linear in the bytes. Nothing is allocated.
void check_cbor(std::string_view bytes);

}  // namespace ductile::wire
