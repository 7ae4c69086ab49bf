// Packs records into the rows of an array. When the array moves, each record comes to its owner.
#pragma once

#include <span>

#include "data/parts.hpp"
#include "ductile/records.hpp"

namespace ductile::data {

/// An array with one row for each pair of an old rank s and a new rank t. With n old ranks, row
/// t * n + s holds what s sends to t. Before the move, s holds the rows s, s + n, s + 2 n, ...
/// After the move, t holds the n rows from t * n on.
Outgoing rows_between(ArraySpec spec, const PartCounts& counts);

/// The records of rank `part` (-1: no rank), in the rows of their owners. Copies the records.
/// Throws InputError if a record has no owner, or if a function of the program throws. The message
/// names the record, or has the text of the exception.
Outgoing records_by_owner(const ArraySpec& spec, const detail::RecordsAccess* records, int part,
                          const PartCounts& counts);

/// All records of a part, one after the other.
std::span<const std::byte> records_in(const ArraySpec& spec, const Block& part);

}  // namespace ductile::data
