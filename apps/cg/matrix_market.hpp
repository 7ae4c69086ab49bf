// Symmetric sparse matrices in Matrix Market files (Boisvert, Pozo, Remington 1996: "coordinate"
// format).
#pragma once

#include <iosfwd>
#include <stdexcept>
#include <string>

#include "cg/sparse_matrix.hpp"

namespace cg {

/// Says the file and the line.
class BadMatrix : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Reads a square matrix of real or integer numbers: `symmetric`, of which a file has one triangle,
/// or `general`, which has to be symmetric, too. Entries of one place are added up. At most 2^31 -
/// 1 rows and 2^31 - 2 entries in the file. Throws BadMatrix that begins with `name`.
SparseMatrix read_matrix_market(std::istream& in, const std::string& name);
SparseMatrix read_matrix_market(const std::string& file);

/// Writes the lower triangle of a symmetric matrix, so that it is read again bit for bit.
void write_matrix_market(std::ostream& out, const SparseMatrix& matrix);

}  // namespace cg
