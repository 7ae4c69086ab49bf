// MPI datatypes, in a form that one process can send to another.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

#include "data/block.hpp"

namespace ductile::mam {

struct DataType {
    std::string name;       ///< the name in MPI; "derived" for a derived type
    std::size_t bytes = 0;  ///< the extent: from one element to the next
    [[nodiscard]] bool is_derived() const;
    bool operator==(const DataType&) const = default;
};

/// Throws InputError if elements of the type do not lie one after the other in memory.
DataType describe(MPI_Datatype type);

/// Returns the type of this name, if this MPI has such a type of this size. Otherwise returns a new
/// type of as many bytes, which belongs to the program.
MPI_Datatype make_type(const DataType& type);

/// A new type that covers these stretches of an element of `bytes` bytes. It belongs to the
/// program.
MPI_Datatype make_slice(const std::vector<data::Stretch>& stretches, std::size_t bytes);

}  // namespace ductile::mam
