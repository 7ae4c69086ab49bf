// How fast apps/mpdata computes, compared with what the memory allows. A step must move 48 bytes
// for each cell (five arrays read, one written). A triad is measured in the same run, in turn with
// the steps. All passes of a step run in one sweep. So the time of a corrective pass is the time of
// a step, minus the time of a step of the donor cell, divided by the number of corrective passes.
//   bench/mpdata --cells 192 --threads 2
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>

#include "mpdata/advection.hpp"
#include "mpdata/returning_wave.hpp"
#include "mpdata/slab_arrays.hpp"
#include "mpdata/triad.hpp"

namespace {

constexpr std::int64_t bytes_a_cell = 48;

struct Options {
    std::int64_t cells = 160;
    int threads = 1;
    int repetitions = 7;
    bool processor_time = false;  // divided by the threads; for a machine that is not idle
};

double now_s(const Options& options) {
    if (options.processor_time) {
        std::timespec time{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return (static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9) /
               options.threads;
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

double time_s(const Options& options, const std::function<void()>& work) {
    const double start = now_s(options);
    work();
    return now_s(options) - start;
}

// A cube with ghost planes for any scheme.
class Cube {
  public:
    explicit Cube(std::int64_t cells)
        : grid_{{cells, cells, cells},
                {mpdata::Boundary::open, mpdata::Boundary::open, mpdata::Boundary::open}} {
        const std::int64_t planes = cells + 2 * ghosts + 1;
        psi_.resize(static_cast<std::size_t>(planes * mpdata::cell_plane(grid_)));
        density_.resize(psi_.size());
        x_.resize(psi_.size());
        y_.resize(static_cast<std::size_t>(planes * mpdata::y_plane(grid_)));
        z_.resize(static_cast<std::size_t>(planes * mpdata::z_plane(grid_)));
        result_.resize(psi_.size());
        const mpdata::ReturningWave problem(grid_);
        mpdata::initialise(arrays(), problem, grid_);
        mpdata::set_last_faces(arrays(), grid_, ghosts, mpdata::last_faces(problem, grid_));
    }
    [[nodiscard]] const mpdata::Grid& grid() const { return grid_; }
    [[nodiscard]] std::int64_t cells() const { return grid_.cells[0] * mpdata::cell_plane(grid_); }
    void step(mpdata::Advection& advection) {
        advection.step(arrays().slab, arrays().with(arrays().psi),
                       result_.data() + ghosts * mpdata::cell_plane(grid_));
    }

  private:
    static constexpr std::int64_t ghosts = 5;

    [[nodiscard]] mpdata::SlabArrays arrays() {
        const auto own = [&](std::vector<double>& values, std::int64_t plane) {
            return values.data() + ghosts * plane;
        };
        return {{0, grid_.cells[0]},
                own(psi_, mpdata::cell_plane(grid_)),
                own(density_, mpdata::cell_plane(grid_)),
                own(x_, mpdata::cell_plane(grid_)),
                own(y_, mpdata::y_plane(grid_)),
                own(z_, mpdata::z_plane(grid_))};
    }

    mpdata::Grid grid_;
    std::vector<double> psi_, density_, x_, y_, z_, result_;
};

std::string two_digits(double ns) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2f", ns);
    return text.data();
}

void measure(const Options& options) {
    Cube cube(options.cells);
    ductile::bench::Triad triad(2 * cube.cells(), options.threads);
    const struct {
        const char* name;
        mpdata::Scheme scheme;
    } schemes[] = {{"donor cell", {1, false, false}},
                   {"2 passes", {2, false, false}},
                   {"2 passes, infinite gauge", {2, false, true}},
                   {"2 passes, non-oscillatory", {2, true, false}},
                   {"2 passes, both", {2, true, true}},
                   {"3 passes, non-oscillatory", {3, true, false}}};
    std::printf("%lld cells along each edge, %d threads, best of %d\n",
                static_cast<long long>(options.cells), options.threads, options.repetitions);
    std::printf("%-28s %10s %12s %10s %8s %8s\n", "scheme", "ns a cell", "a correction", "GB/s",
                "triad", "share");
    mpdata::Advection donor_cell(cube.grid(), schemes[0].scheme, options.threads);
    for (const auto& [name, scheme] : schemes) {
        mpdata::Advection advection(cube.grid(), scheme, options.threads);
        double step_s = 1e9;
        double donor_s = 1e9;
        double triad_rate = 0;
        for (int i = 0; i < options.repetitions; ++i) {
            std::int64_t bytes = 0;
            const double triad_s = time_s(options, [&] { bytes = triad.run(); });
            triad_rate = std::max(triad_rate, static_cast<double>(bytes) / triad_s);
            donor_s = std::min(donor_s, time_s(options, [&] { cube.step(donor_cell); }));
            step_s = std::min(step_s, time_s(options, [&] { cube.step(advection); }));
        }
        const double rate = static_cast<double>(bytes_a_cell * cube.cells()) / step_s;
        const double ns_a_cell = 1e9 / static_cast<double>(cube.cells());
        const int corrections = scheme.passes - 1;
        const std::string correction =
            corrections == 0 ? "-" : two_digits((step_s - donor_s) / corrections * ns_a_cell);
        std::printf("%-28s %10.2f %12s %10.2f %8.2f %7.0f%%\n", name, step_s * ns_a_cell,
                    correction.c_str(), rate * 1e-9, triad_rate * 1e-9, 100 * rate / triad_rate);
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app{
        "Measures the speed of a step of apps/mpdata, and of a triad (a = b + s c), which shows "
        "how fast the memory is"};
    app.add_option("--cells", options.cells, "number of cells along each edge of the cubic grid")
        ->check(CLI::Range(8, 2048))
        ->capture_default_str();
    app.add_option("--threads", options.threads, "OpenMP threads")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    app.add_option("--repetitions", options.repetitions,
                   "repetitions of each measurement; the fastest one counts")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_flag(
        "--processor-time", options.processor_time,
        "measure processor time, divided by the threads, in place of wall-clock time: for a "
        "machine that is not idle (default: wall-clock time)");
    CLI11_PARSE(app, argc, argv);
    measure(options);
    return 0;
}
