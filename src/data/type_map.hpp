// What of an element moves, as an MPI datatype says.
#pragma once

#include <mpi.h>

#include <vector>

#include "data/block.hpp"

namespace ductile::data {

/// An element that is made of more pieces is refused: each is a piece of a message of its own.
inline constexpr std::size_t most_stretches = 4096;

/// The bytes of an element that a datatype (MPI 4.1, section 5) consists of, from the element's
/// first byte on: rising and apart; nothing when it is all of them, or as many. Throws InputError
/// when one element of the type does not lie within `element_bytes`, one after the other, and
/// MpiError.
std::vector<Stretch> stretches_of(MPI_Datatype type, std::int64_t element_bytes);

}  // namespace ductile::data
