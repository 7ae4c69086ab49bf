// The revolving sphere, a test of advection in three dimensions: after a whole turn the field
// should be the initial field again. The set-up is that of jaruga-2015.
#pragma once

#include "mpdata/problem.hpp"

namespace mpdata {

/// A ball of radius 15 and value 4 in a cube of edge 100 turns about the cube's diagonal, at a
/// distance of 25 from its centre. The centres of the outermost cells lie on the faces of the cube.
class RevolvingSphere final : public Problem {
  public:
    /// The angular velocity is 0.1. So a turn takes 556 steps of 0.018 * 2 pi, which is the step
    /// for 59 cells along each edge.
    explicit RevolvingSphere(const Grid& grid);

    [[nodiscard]] double psi(const Place& cell) const override;
    [[nodiscard]] double density(const Place& cell) const override;
    [[nodiscard]] double courant(std::size_t dimension, const Place& face) const override;

    static constexpr double step_s = 0.018 * 2 * 3.14159265358979323846;
    static constexpr int steps_of_a_turn = 556;

  private:
    [[nodiscard]] double from_centre(std::size_t dimension, std::int64_t i) const;

    std::array<double, 3> spacing_;
};

}  // namespace mpdata
