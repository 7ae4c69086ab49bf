// Conjugate gradients on a sparse matrix, as a malleable program: a resize moves rows.
//   ductile run --local=4 --ranks-per-host 2 -n 2 -- cg --side 300 --solves 100
#include <chrono>
#include <cstdio>
#include <ductile/ductile.hpp>
#include <fstream>
#include <iomanip>
#include <iostream>

#include "cg/diffusion.hpp"
#include "cg/matrix_market.hpp"
#include "cg/options.hpp"
#include "cg/solver.hpp"
#include "common/progress.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto report_every = std::chrono::seconds(1);

cg::SparseMatrix matrix_of(const cg::Options& options) {
    if (options.matrix.empty()) return cg::diffusion(options.side);
    auto [matrix, added] = cg::read_matrix_market(options.matrix);
    if (added > 0)
        std::cerr << "cg: " << options.matrix << ": " << added
                  << " entries have the row and column of another entry; they are added to it\n";
    return std::move(matrix);
}

int write(const cg::Options& options) {
    std::ofstream out(options.write, std::ios::trunc);
    cg::write_matrix_market(out, matrix_of(options));
    out.close();
    if (!out) throw cg::BadMatrix(options.write + ": it cannot be written");
    return 0;
}

// Reads or makes the matrix on rank 0. Returns on all ranks whether this succeeded. Collective.
bool read_on_rank_0(const ductile::Job& job, const cg::Options& options, cg::SparseMatrix& matrix) {
    int good = 1;
    if (job.rank() == 0) try {
            matrix = matrix_of(options);
        } catch (const std::exception& error) {
            std::cerr << "cg: " << error.what() << '\n';
            good = 0;
        }
    MPI_Bcast(&good, 1, MPI_INT, 0, job.comm());
    return good != 0;
}

// Prints the results of the solves, in the process that is rank 0 at the time.
class Report {
  public:
    Report(const ductile::Job& job, const cg::Options& options) : job_(job), options_(options) {}

    void residual(const cg::Solver& solver) {
        if (job_.rank() != 0 || options_.history.empty()) return;
        if (!history_.is_open()) {
            history_.open(options_.history, std::ios::app);
            history_ << std::scientific << std::setprecision(15);
        }
        history_ << solver.solve() << ' ' << solver.iteration() << ' ' << solver.relative_residual()
                 << std::endl;
    }
    /// Collective.
    void solved(const cg::Solver& solver, bool is_last) {
        const double error = solver.error();
        if (job_.rank() != 0 || (!is_last && Clock::now() < next_)) return;
        std::cout << "solve " << solver.solve() << ": " << solver.iteration()
                  << " iterations, residual " << solver.relative_residual() << ", error " << error
                  << ", " << job_.size() << " ranks" << std::endl;
        next_ = Clock::now() + report_every;
    }

  private:
    const ductile::Job& job_;
    const cg::Options& options_;
    std::ofstream history_;
    Clock::time_point next_;
};

// Whether the solve that has ended is the last one. Collective.
bool is_last(const ductile::Job& job, const cg::Solver& solver, const cg::Options& options) {
    return solver.solve() >= options.solves ||
           (!options.until.empty() && apps::is_asked_to_end(job.comm(), options.until));
}

int give_up(const ductile::Job& job, const cg::Solver& solver) {
    if (job.rank() == 0)
        std::cerr << "cg: the residual is " << solver.relative_residual() << " after "
                  << solver.iteration() << " iterations: is the matrix positive definite?\n";
    return 1;
}

int run(int argc, char** argv) {
    ductile::Job job(argc, argv);
    const auto options = cg::parse_options(argc, argv);  // the same arguments on every rank
    if (!options.write.empty()) return job.rank() == 0 ? write(options) : 0;
    cg::SparseMatrix matrix;
    if (job.fresh() && !read_on_rank_0(job, options, matrix)) return 1;
    if (job.fresh() && job.rank() == 0 && !options.history.empty())
        std::ofstream(options.history, std::ios::trunc).close();
    cg::Solver solver(job, matrix);
    matrix = {};
    Report report(job, options);
    while (true) {
        while (!(solver.relative_residual() <= options.tolerance)) {
            if (!solver.iterate() || solver.iteration() > 10 * solver.rows())
                return give_up(job, solver);
            report.residual(solver);
            if (job.resize_point() == ductile::Resized::leave) return 0;
        }
        const bool last = is_last(job, solver, options);
        report.solved(solver, last);
        if (last) return 0;
        solver.restart();
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cg: %s\n", error.what());
        return 1;
    }
}
