// Parts of arrays in memory that belongs to the program.
#pragma once

#include <memory>

#include "data/block.hpp"
#include "data/registry.hpp"

namespace ductile::data {

/// A part in memory of the program, which the program frees. `memory` may be null if the part has
/// no elements.
Block borrow_block(std::byte* memory, std::shared_ptr<const plan::Partition> partition, int part);

/// Registers an array that is distributed in blocks. The part of this rank is in memory of the
/// program. Throws UsageError if the name is taken.
std::shared_ptr<detail::ArrayState> add_borrowed_array(Registry& registry, ArraySpec spec,
                                                       std::byte* memory, int part, int parts);

/// Gives the memory of a block to the program, which frees it by std::free when the block no longer
/// uses it. Returns the memory. If a check watches it (data/checked_memory.hpp), the program and
/// the block get a copy instead. If the memory belongs to the program already, only returns it.
/// Precondition: otherwise make_block() made this memory, without a halo and without a home.
std::byte* give_away_memory(Block& block);

}  // namespace ductile::data
