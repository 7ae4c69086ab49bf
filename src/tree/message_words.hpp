// Messages as 32-bit words: what goes over a network, and how long it is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/messages.hpp"

namespace ductile::tree {

/// The message's kind, then its fields in their order; a list as its length and its elements.
std::vector<std::int32_t> to_words(const Message& message);

/// The inverse. Throws std::invalid_argument for words that are no message (an unknown kind, a
/// list longer than the words that follow, words left over), whoever sent them.
Message from_words(std::span<const std::int32_t> words);

/// The length of to_words(message) in bytes, without making it.
std::size_t length_bytes(const Message& message);

}  // namespace ductile::tree
