// What a CBOR text must look like before a parser sees it. Pure.
#pragma once

#include <string_view>

namespace ductile::wire {

/// Deepest nesting of lists and maps in a message.
inline constexpr int max_cbor_depth = 24;

/// Throws InputError unless `bytes` hold exactly one CBOR item (RFC 8949) of the kinds that
/// to_frame writes: definite lengths, maps with text keys, no tags, no length beyond the end, at
/// most max_cbor_depth lists or maps inside each other. Time is linear in the bytes; nothing is
/// allocated.
void check_cbor(std::string_view bytes);

}  // namespace ductile::wire
