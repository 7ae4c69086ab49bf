#include "mpdata/picture_file.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "mpdata/field_gather.hpp"

namespace mpdata {

namespace {

std::vector<double> largest_of_rows(const Grid& grid, const Slab& slab, const double* psi) {
    std::vector<double> seen(static_cast<std::size_t>(slab.count * grid.cells[1]));
    for (auto& value : seen) {
        value = *std::max_element(psi, psi + grid.cells[2]);
        psi += grid.cells[2];
    }
    return seen;
}

class Writer {
  public:
    Writer(const std::string& path, const Grid& grid, std::int64_t step)
        : path_(path), file_(unfinished(), std::ios::binary | std::ios::trunc) {
        const std::array<std::int64_t, 3> numbers{grid.cells[0], grid.cells[1], step};
        file_.write("DUCTADVE", 8);
        file_.write(reinterpret_cast<const char*>(numbers.data()), sizeof numbers);
    }
    void add(const double* values, std::int64_t count) {
        file_.write(
            reinterpret_cast<const char*>(values),
            static_cast<std::streamsize>(count) * static_cast<std::streamsize>(sizeof(double)));
    }
    void finish() {
        file_.close();
        if (!file_ || std::rename(unfinished().c_str(), path_.c_str()) != 0)
            throw std::runtime_error("cannot write the picture to " + path_);
    }

  private:
    [[nodiscard]] std::string unfinished() const { return path_ + ".part"; }

    std::string path_;
    std::ofstream file_;
};

}  // namespace

void draw_picture(MPI_Comm comm, const Grid& grid, const Slab& slab, const double* psi,
                  std::int64_t step, const std::string& path) {
    if (path.empty()) return;
    const auto seen = largest_of_rows(grid, slab, psi);
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    if (rank != 0) {
        gather_planes(comm, slab, seen.data(), grid.cells[1], {});
        return;
    }
    Writer writer(path, grid, step);
    gather_planes(comm, slab, seen.data(), grid.cells[1],
                  [&](const double* values, std::int64_t planes) {
                      writer.add(values, planes * grid.cells[1]);
                  });
    writer.finish();
}

}  // namespace mpdata
