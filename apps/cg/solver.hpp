// The method of conjugate gradients (Hestenes, Stiefel 1952) on the parts of a job's ranks.
#pragma once

#include <cstdint>
#include <ductile/ductile.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "cg/ghosts.hpp"
#include "cg/sparse_matrix.hpp"

namespace cg {

/// Solves A x = A s for a given s, again and again. All of it is the job's: after a resize the next
/// iteration goes on from where the last one was, on other ranks.
class Solver {
  public:
    /// `matrix`: rank 0's at the job's start, else not looked at. Collective over the job.
    Solver(ductile::Job& job, const SparseMatrix& matrix);
    Solver(const Solver&) = delete;
    Solver& operator=(const Solver&) = delete;
    ~Solver() = default;

    /// Begins anew with x = 0.
    void restart();
    /// False, on all ranks: the matrix is not positive definite, or its numbers are too large;
    /// nothing has changed. Collective.
    [[nodiscard]] bool iterate();

    [[nodiscard]] std::int64_t rows() const {
        return static_cast<std::int64_t>(starts_->size()) - 1;
    }
    [[nodiscard]] std::int64_t solve() const { return solve_; }          ///< from 1
    [[nodiscard]] std::int64_t iteration() const { return iteration_; }  ///< of this solve
    /// Of the residual and the right side; the Euclidean norm.
    [[nodiscard]] double relative_residual() const;
    /// The largest element of |x - s|. Collective.
    [[nodiscard]] double error() const;

  private:
    [[nodiscard]] Block block() const;
    void rebuild();
    void multiply(std::span<const double> with, std::span<double> result);
    [[nodiscard]] double dot(std::span<const double> a, std::span<const double> b) const;

    ductile::Job& job_;
    /// Of the whole matrix. Rows are dealt out by it, also by another thread, to which it belongs,
    /// too.
    std::shared_ptr<std::vector<std::int64_t>> starts_;
    ductile::Replicated<std::vector<std::int64_t>> starts_handle_;
    ductile::Ragged<Entry> a_;
    ductile::Distributed<double> x_, r_, p_;
    std::int64_t solve_ = 0, iteration_ = 0;
    double rho_ = 0, right_side_ = 0;  ///< squares of norms
    ductile::Replicated<std::int64_t, std::int64_t, double, double> state_handle_;
    std::vector<double> q_;
    std::optional<Ghosts> ghosts_;
};

}  // namespace cg
