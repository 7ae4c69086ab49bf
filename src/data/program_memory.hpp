// Parts of arrays in memory that is the program's.
#pragma once

#include <memory>

#include "data/block.hpp"
#include "data/registry.hpp"

namespace ductile::data {

/// A part in memory of the program's, which the program frees; null where it has no elements.
Block borrow_block(std::byte* memory, std::shared_ptr<const plan::Partition> partition, int part);

/// Registers an array of blocks whose part is in memory of the program's. Throws UsageError when
/// the name is taken.
std::shared_ptr<detail::ArrayState> add_borrowed_array(Registry& registry, ArraySpec spec,
                                                       std::byte* memory, int part, int parts);

/// From now on the program frees this memory, which make_block made without a halo, by std::free;
/// until then the block uses it. Nothing is done with memory that is the program's already.
std::byte* give_away_memory(Block& block);

}  // namespace ductile::data
