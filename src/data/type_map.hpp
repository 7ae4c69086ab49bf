// Which bytes of an element move, given by an MPI datatype.
#pragma once

#include <mpi.h>

#include <vector>

#include "data/block.hpp"

namespace ductile::data {

/// An element with more pieces is refused: each piece is a separate segment of a message.
inline constexpr std::size_t most_stretches = 4096;

/// The bytes of an element that belong to a datatype (MPI 4.1, section 5), counted from the
/// element's first byte: rising, without overlap. Empty means that all bytes move: the datatype
/// has as many bytes as the element, or more. Throws MpiError. Throws InputError if the extent of
/// the type is not `element_bytes`, if data of the type lies outside of the element, or if the type
/// has no data or too many pieces.
std::vector<Stretch> stretches_of(MPI_Datatype type, std::int64_t element_bytes);

}  // namespace ductile::data
