// A smooth wave that flows along the diagonal of a periodic cube through a fluid of variable
// density. On a cube with n cells along an edge, it has its initial form again after 8 n steps.
//
// GC is the same everywhere, so the flow has no divergence, and a particle's speed is GC / G. Along
// every diagonal the mean of G is 1: all particles are back at the same time.
#pragma once

#include "mpdata/problem.hpp"

namespace mpdata {

class ReturningWave final : public Problem {
  public:
    /// The wave returns only if the grid is a cube.
    explicit ReturningWave(const Grid& grid) : grid_(grid) {}

    [[nodiscard]] double psi(const Place& cell) const override;
    [[nodiscard]] double density(const Place& cell) const override;
    [[nodiscard]] double courant(std::size_t dimension, const Place& face) const override;

    static constexpr int steps_per_cell = 8;

  private:
    [[nodiscard]] double angle(std::size_t dimension, std::int64_t i) const;

    Grid grid_;
};

}  // namespace mpdata
