// Messages as 32-bit words, as they go over a network, and their length.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/messages.hpp"

namespace ductile::tree {

/// The kind of the message, then its fields in order. A list is its length, then its elements.
std::vector<std::int32_t> to_words(const Message& message);

/// The inverse. Throws std::invalid_argument for words that are not a message (an unknown kind, a
/// list longer than the remaining words, extra words).
Message from_words(std::span<const std::int32_t> words);

/// The length of to_words(message) in bytes, computed without the words.
std::size_t length_bytes(const Message& message);

}  // namespace ductile::tree
