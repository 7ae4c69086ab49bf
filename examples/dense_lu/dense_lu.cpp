// Dense LU factorisation of a matrix whose blocks are scattered over the ranks. Each row and each
// column of blocks has a process group. So the program has hundreds of groups at the same time.
// They need no communicators of MPI. (The paper balanced-spanning-trees names this use of groups
// first, in section II-A.)
//   mpiexec -n 8 dense_lu 100 8         (100 x 100 blocks of 8 x 8 numbers)
//   ductile run --local=4 --ranks-per-host=2 -n 8 -- dense_lu 100 8
// Both print: 800 x 800 numbers, 200 groups: largest difference 3.6e-15
#include <cmath>
#include <cstdlib>
#include <ductile/ductile.hpp>
#include <iostream>
#include <map>
#include <vector>

namespace {

using Block = std::vector<double>;  // row by row

struct Matrix {
    int blocks, width;  // blocks in a row or a column; numbers in a row or a column of a block
    int ranks, rank;
    std::map<std::pair<int, int>, Block> mine;
    std::vector<ductile::ProcessGroup> rows, columns;

    // Scatters the blocks, so that each row and each column has another set of owners.
    [[nodiscard]] int owner(int i, int j) const { return (i * 7 + j * 13 + i * j % 5) % ranks; }
    [[nodiscard]] bool owns(int i, int j) const { return owner(i, j) == rank; }
    [[nodiscard]] double entry(int row, int column) const {
        return row == column ? 2.0 * blocks * width : std::sin(row * 3.0 + column);
    }
};

Matrix make(ductile::Job& job, int blocks, int width) {
    Matrix a{blocks, width, job.size(), job.rank(), {}, {}, {}};
    for (int i = 0; i < blocks; ++i) {
        bool in_row = false, in_column = false;
        for (int j = 0; j < blocks; ++j) {
            in_row = in_row || a.owns(i, j);
            in_column = in_column || a.owns(j, i);
            if (!a.owns(i, j)) continue;
            auto& block = a.mine[{i, j}];
            for (int r = 0; r < width; ++r)
                for (int c = 0; c < width; ++c)
                    block.push_back(a.entry(i * width + r, j * width + c));
        }
        a.rows.emplace_back(job, in_row);
        a.columns.emplace_back(job, in_column);
    }
    return a;
}

// Factorises the diagonal block in place. L is then below the diagonal (without its diagonal of
// ones), and U is on and above the diagonal.
void factor(Block& d, int n) {
    for (int k = 0; k < n; ++k)
        for (int r = k + 1; r < n; ++r) {
            d[r * n + k] /= d[k * n + k];
            for (int c = k + 1; c < n; ++c) d[r * n + c] -= d[r * n + k] * d[k * n + c];
        }
}
// For a block below the diagonal block: replaces it by its part of L, which is block / U.
void divide_by_upper(Block& b, const Block& d, int n) {
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) {
            for (int k = 0; k < c; ++k) b[r * n + c] -= b[r * n + k] * d[k * n + c];
            b[r * n + c] /= d[c * n + c];
        }
}
// For a block to the right of the diagonal block: replaces it by its part of U, which
// solves L * U = block.
void divide_by_lower(Block& b, const Block& d, int n) {
    for (int r = 0; r < n; ++r)
        for (int k = 0; k < r; ++k)
            for (int c = 0; c < n; ++c) b[r * n + c] -= d[r * n + k] * b[k * n + c];
}
void subtract_product(Block& to, const Block& l, const Block& u, int n) {
    for (int r = 0; r < n; ++r)
        for (int k = 0; k < n; ++k)
            for (int c = 0; c < n; ++c) to[r * n + c] -= l[r * n + k] * u[k * n + c];
}

// Returns block (i, j) on all members of `group`, the group of its row or column. The members need
// not know which of them owns the block.
Block shared(const Matrix& a, const ductile::ProcessGroup& group, int i, int j) {
    Block block = a.owns(i, j) ? a.mine.at({i, j}) : Block(std::size_t(a.width * a.width));
    group.share(a.owns(i, j), block.data(), std::int64_t(block.size()), MPI_DOUBLE);
    return block;
}

void factor(Matrix& a) {
    for (int k = 0; k < a.blocks; ++k) {
        if (a.owns(k, k)) factor(a.mine.at({k, k}), a.width);
        if (a.columns[k].member()) {
            const auto d = shared(a, a.columns[k], k, k);
            for (int i = k + 1; i < a.blocks; ++i)
                if (a.owns(i, k)) divide_by_upper(a.mine.at({i, k}), d, a.width);
        }
        if (a.rows[k].member()) {
            const auto d = shared(a, a.rows[k], k, k);
            for (int j = k + 1; j < a.blocks; ++j)
                if (a.owns(k, j)) divide_by_lower(a.mine.at({k, j}), d, a.width);
        }
        std::map<int, Block> left, above;
        for (int i = k + 1; i < a.blocks; ++i)
            if (a.rows[i].member()) left[i] = shared(a, a.rows[i], i, k);
        for (int j = k + 1; j < a.blocks; ++j)
            if (a.columns[j].member()) above[j] = shared(a, a.columns[j], k, j);
        for (auto& [at, block] : a.mine)
            if (at.first > k && at.second > k)
                subtract_product(block, left[at.first], above[at.second], a.width);
    }
}

// Returns L * x if `lower`, otherwise U * x. Each rank multiplies its blocks, and the results are
// summed over the ranks.
std::vector<double> times(const ductile::Job& job, const Matrix& a, const std::vector<double>& x,
                          bool lower) {
    std::vector<double> y(x.size(), 0.0), sum(x.size());
    for (const auto& [at, block] : a.mine)
        for (int r = 0; r < a.width; ++r)
            for (int c = 0; c < a.width; ++c) {
                const int row = at.first * a.width + r, column = at.second * a.width + c;
                if (lower ? row > column : row <= column)
                    y[row] += block[r * a.width + c] * x[column];
                else if (lower && row == column)
                    y[row] += x[column];
            }
    MPI_Allreduce(y.data(), sum.data(), int(y.size()), MPI_DOUBLE, MPI_SUM, job.comm());
    return sum;
}

}  // namespace

int main(int argc, char** argv) {
    ductile::Job job(argc, argv);
    const int blocks = argc > 1 ? std::atoi(argv[1]) : 100,
              width = argc > 2 ? std::atoi(argv[2]) : 8;
    if (blocks < 1 || blocks > 10000 || width < 1 || width > 1000) {
        if (job.rank() == 0) std::cerr << "usage: dense_lu [BLOCKS 1..10000 [WIDTH 1..1000]]\n";
        return 2;
    }
    auto a = make(job, blocks, width);
    factor(a);
    // L (U x) must be equal to A x.
    const int n = blocks * width;
    std::vector<double> x(n);
    for (int i = 0; i < n; ++i) x[i] = std::cos(i);
    const auto found = times(job, a, times(job, a, x, false), true);
    double difference = 0;
    for (int i = 0; i < n; ++i) {
        double expected = 0;
        for (int j = 0; j < n; ++j) expected += a.entry(i, j) * x[j];
        difference = std::max(difference, std::abs(found[i] - expected) / (2.0 * n));
    }
    if (job.rank() == 0)
        std::cout << n << " x " << n << " numbers, " << 2 * blocks << " groups: largest difference "
                  << difference << std::endl;
    return difference < 1e-10 ? 0 : 1;
}
