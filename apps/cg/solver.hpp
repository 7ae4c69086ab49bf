// The method of conjugate gradients (hestenes-stiefel-1952) on the distributed data of a job.
#pragma once

#include <cstdint>
#include <ductile/ductile.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "cg/ghosts.hpp"
#include "cg/sparse_matrix.hpp"

namespace cg {

/// Solves A x = A s for a known s, as often as wanted. All its data is registered with the job. So
/// the next iteration after a resize continues with the same data on the new ranks.
class Solver {
  public:
    /// `matrix`: the whole matrix. It is used only on rank 0, at the start of the job. Collective
    /// over the job.
    Solver(ductile::Job& job, const SparseMatrix& matrix);
    Solver(const Solver&) = delete;
    Solver& operator=(const Solver&) = delete;
    ~Solver() = default;

    /// Begins a solve with x = 0. Collective.
    void restart();
    /// Computes one iteration. Returns false on all ranks if the matrix is not positive definite,
    /// or its numbers are too large; x has then not changed. Collective.
    [[nodiscard]] bool iterate();

    [[nodiscard]] std::int64_t rows() const {
        return static_cast<std::int64_t>(starts_->size()) - 1;
    }
    [[nodiscard]] std::int64_t solve() const { return solve_; }          ///< from 1
    [[nodiscard]] std::int64_t iteration() const { return iteration_; }  ///< of this solve
    /// The Euclidean norm of the residual, divided by the norm of the right side.
    [[nodiscard]] double relative_residual() const;
    /// The largest element of |x - s|. Collective.
    [[nodiscard]] double error() const;

  private:
    [[nodiscard]] Block block() const;
    void rebuild();
    void multiply(std::span<const double> with, std::span<double> result);
    [[nodiscard]] double dot(std::span<const double> a, std::span<const double> b) const;

    ductile::Job& job_;
    /// The row starts of the whole matrix. The rule of distribution uses them, also in another
    /// thread. So the rule shares their ownership.
    std::shared_ptr<std::vector<std::int64_t>> starts_;
    ductile::Replicated<std::vector<std::int64_t>> starts_handle_;
    ductile::Ragged<Entry> a_;
    ductile::Distributed<double> x_, r_, p_;
    std::int64_t solve_ = 0, iteration_ = 0;
    double rho_ = 0, right_side_ = 0;  ///< squared norms of the residual and of the right side
    ductile::Replicated<std::int64_t, std::int64_t, double, double> state_handle_;
    std::vector<double> q_;
    std::optional<Ghosts> ghosts_;
};

}  // namespace cg
