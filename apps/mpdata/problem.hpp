// The initial state of a run: formulas for the five input arrays. The argument of a formula is the
// place of a cell or a face.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "mpdata/grid.hpp"

namespace mpdata {

/// Where something is in the grid: cell (i, j, k), or the face before it along a dimension.
using Place = std::array<std::int64_t, 3>;

/// Values depend only on the place. So they have the same bits however the grid is cut into slabs.
class Problem {
  public:
    virtual ~Problem() = default;
    Problem(const Problem&) = delete;
    Problem& operator=(const Problem&) = delete;

    [[nodiscard]] virtual double psi(const Place& cell) const = 0;
    [[nodiscard]] virtual double density(const Place& cell) const = 0;
    /// The Courant number times the density at the face before a cell along `dimension`.
    [[nodiscard]] virtual double courant(std::size_t dimension, const Place& face) const = 0;

  protected:
    Problem() = default;
};

/// `revolving_sphere`: a ball of one value that turns about the diagonal of a cube; made for open
/// boundaries. `returning_wave`: a smooth wave in a fluid of variable density; made for periodic
/// boundaries. Throws std::invalid_argument for another name.
std::unique_ptr<Problem> make_problem(const std::string& name, const Grid& grid);

}  // namespace mpdata
