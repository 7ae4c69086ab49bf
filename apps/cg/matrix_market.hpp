// Symmetric sparse matrices in Matrix Market files (Boisvert, Pozo, Remington 1996: "coordinate"
// format).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <stdexcept>
#include <string>

#include "cg/sparse_matrix.hpp"

namespace cg {

/// The message names the file, and the line if a single line is wrong.
class BadMatrix : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct MatrixOfFile {
    SparseMatrix matrix;
    std::int64_t added = 0;  ///< entries that were added to another entry with their row and column
};

/// Reads a square matrix of real or integer numbers, as C or Fortran write them. The file is
/// `symmetric` and has each entry in one of the two triangles, or it is `general` and the matrix
/// must be symmetric nevertheless. Entries with the same row and column are added up. A number that
/// is too small for a double is 0. The file may have 2^31 - 2 rows and 2^31 - 2 entries at most.
/// Throws BadMatrix with a message that begins with `name`.
MatrixOfFile read_matrix_market(std::istream& in, const std::string& name);
MatrixOfFile read_matrix_market(const std::string& file);

/// Writes the lower triangle of a symmetric matrix. A read of this file gives the same bits.
void write_matrix_market(std::ostream& out, const SparseMatrix& matrix);

}  // namespace cg
