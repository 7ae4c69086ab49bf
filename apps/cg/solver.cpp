#include "cg/solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cg/accurate_dot.hpp"
#include "cg/scatter_matrix.hpp"

namespace cg {

namespace {

// The rule for matrix and vectors: rank r holds the same elements of the vectors as rows.
ductile::Distribution by_entries(const std::shared_ptr<std::vector<std::int64_t>>& starts) {
    return ductile::Distribution::balanced(
        [starts](std::int64_t row) { return (*starts)[static_cast<std::size_t>(row)]; });
}

// Element i of the known solution s. It is irregular, so that s is no eigenvector of the matrix.
double solution(std::int64_t i) {
    return 1 + static_cast<double>(i * i % 101) / 101;
}

}  // namespace

Solver::Solver(ductile::Job& job, const SparseMatrix& matrix)
    : job_(job),
      starts_(std::make_shared<std::vector<std::int64_t>>(
          job.fresh() ? share_starts(job.comm(), matrix) : std::vector<std::int64_t>())),
      starts_handle_(job.replicate("starts", *starts_)),
      a_(job.distribute_rows<Entry>("a", rows(), by_entries(starts_))),
      x_(job.distribute<double>("x", rows(), by_entries(starts_))),
      r_(job.distribute<double>("r", rows(), by_entries(starts_))),
      p_(job.distribute<double>("p", rows(), by_entries(starts_))),
      state_handle_(job.replicate("state", solve_, iteration_, rho_, right_side_)) {
    if (job.fresh()) {
        a_.set_lengths(lengths_of(*starts_, block()));
        scatter_matrix(job.comm(), matrix, share_blocks(job.comm(), block()), a_.values());
    }
    a_.freeze();
    job.on_rebuild([this] { rebuild(); });
    if (job.fresh()) restart();
}

Block Solver::block() const {
    return {x_.offset(), x_.offset() + x_.count()};
}

void Solver::rebuild() {
    ghosts_.emplace(job_.comm(), share_blocks(job_.comm(), block()), a_.values());
    q_.resize(static_cast<std::size_t>(x_.count()));
}

void Solver::multiply(std::span<const double> with, std::span<double> result) {
    ghosts_->exchange(with);
    const auto starts = a_.starts();
    const auto entries = std::as_const(a_).values();
    const auto places = ghosts_->places();
    const auto values = ghosts_->values();
    for (std::size_t row = 0; row < result.size(); ++row) {
        double sum = 0;
        for (auto i = static_cast<std::size_t>(starts[row]);
             i < static_cast<std::size_t>(starts[row + 1]); ++i)
            sum += entries[i].value * values[static_cast<std::size_t>(places[i])];
        result[row] = sum;
    }
}

double Solver::dot(std::span<const double> a, std::span<const double> b) const {
    const Pair mine = cg::dot(a, b);
    std::vector<Pair> of_ranks(static_cast<std::size_t>(job_.size()));
    MPI_Allgather(&mine, 2, MPI_DOUBLE, of_ranks.data(), 2, MPI_DOUBLE, job_.comm());
    return std::accumulate(of_ranks.begin(), of_ranks.end(), Pair(), add).high;
}

void Solver::restart() {
    std::ranges::fill(x_.local(), 0.0);
    for (std::size_t i = 0; i < p_.local().size(); ++i)
        p_.local()[i] = solution(p_.offset() + static_cast<std::int64_t>(i));
    multiply(p_.local(), r_.local());  // the right side: with x = 0 also the residual
    std::ranges::copy(r_.local(), p_.local().begin());
    rho_ = right_side_ = dot(r_.local(), r_.local());
    iteration_ = 0;
    ++solve_;
}

bool Solver::iterate() {
    const auto x = x_.local(), r = r_.local(), p = p_.local();
    multiply(p, q_);
    const double curvature = dot(p, q_);
    if (!(curvature > 0) || !std::isfinite(curvature)) return false;
    const double alpha = rho_ / curvature;
    for (std::size_t i = 0; i < q_.size(); ++i) x[i] += alpha * p[i], r[i] -= alpha * q_[i];
    const double before = std::exchange(rho_, dot(r, r));
    for (std::size_t i = 0; i < q_.size(); ++i) p[i] = r[i] + rho_ / before * p[i];
    ++iteration_;
    return true;
}

double Solver::relative_residual() const {
    return right_side_ == 0 ? 0 : std::sqrt(rho_ / right_side_);
}

double Solver::error() const {
    double largest = 0;
    for (std::int64_t i = 0; i < x_.count(); ++i)
        largest = std::max(
            largest, std::abs(x_.local()[static_cast<std::size_t>(i)] - solution(x_.offset() + i)));
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, job_.comm());
    return largest;
}

}  // namespace cg
