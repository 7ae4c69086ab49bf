// Records that go to the rank that owns them, as an array that moves like others.
#pragma once

#include <span>

#include "data/parts.hpp"
#include "ductile/records.hpp"

namespace ductile::data {

/// An array with a row for each rank before and each one after: row t * (ranks before) + s is for
/// what goes from s to t. So rank s has the rows s, s + (ranks before), ... of it before, and rank
/// t a block of as many rows as there were ranks afterwards.
Outgoing rows_between(ArraySpec spec, const PartCounts& counts);

/// The records of rank `part` (-1: it has none), in the rows of their owners. Copies the records.
/// Throws InputError that names a record without an owner, and what the program throws.
Outgoing records_by_owner(const ArraySpec& spec, const detail::RecordsAccess* records, int part,
                          const PartCounts& counts);

/// All records of a part, one after the other.
std::span<const std::byte> records_in(const ArraySpec& spec, const Block& part);

}  // namespace ductile::data
