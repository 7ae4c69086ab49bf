// MPI's datatypes as one process can tell another of them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

#include "data/block.hpp"

namespace ductile::mam {

struct DataType {
    std::string name;       ///< MPI's own; of a derived type "derived"
    std::size_t bytes = 0;  ///< from one element to the next
    [[nodiscard]] bool is_derived() const;
    bool operator==(const DataType&) const = default;
};

/// Throws InputError when elements of the type do not lie one after the other in memory.
DataType describe(MPI_Datatype type);

/// A type of that name where this MPI has one of that size; else so many bytes, a type of the
/// program's own.
MPI_Datatype make_type(const DataType& type);

/// These bytes of an element of so many, as a type of the program's own.
MPI_Datatype make_slice(const std::vector<data::Stretch>& stretches, std::size_t bytes);

}  // namespace ductile::mam
