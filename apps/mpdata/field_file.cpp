#include "mpdata/field_file.hpp"

#include <hdf5.h>

#include <cstdio>
#include <stdexcept>
#include <vector>

#include "mpdata/field_gather.hpp"

namespace mpdata {

namespace {

// An HDF5 handle and the call that closes it.
class Handle {
  public:
    Handle(hid_t id, herr_t (*close)(hid_t), const std::string& what) : id_(id), close_(close) {
        if (id < 0) throw std::runtime_error(what);
    }
    ~Handle() { close_(id_); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    [[nodiscard]] hid_t get() const { return id_; }

  private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

void check(herr_t status, const std::string& what) {
    if (status < 0) throw std::runtime_error(what);
}

std::vector<hsize_t> extents(const Grid& grid) {
    return {static_cast<hsize_t>(grid.cells[0]), static_cast<hsize_t>(grid.cells[1]),
            static_cast<hsize_t>(grid.cells[2])};
}

// Moves through the dataset psi, some planes at a time.
class PlanesOfDataset {
  public:
    PlanesOfDataset(hid_t dataset, const Grid& grid, std::string failed)
        : dataset_(dataset), extents_(extents(grid)), failed_(std::move(failed)) {}

    void write(const double* values, std::int64_t planes) {
        const Handle memory = memory_of(planes);
        const Handle file = next(planes);
        check(H5Dwrite(dataset_, H5T_NATIVE_DOUBLE, memory.get(), file.get(), H5P_DEFAULT, values),
              failed_);
    }
    void read(double* values, std::int64_t planes) {
        const Handle memory = memory_of(planes);
        const Handle file = next(planes);
        check(H5Dread(dataset_, H5T_NATIVE_DOUBLE, memory.get(), file.get(), H5P_DEFAULT, values),
              failed_);
    }

  private:
    [[nodiscard]] std::vector<hsize_t> size_of(std::int64_t planes) const {
        return {static_cast<hsize_t>(planes), extents_[1], extents_[2]};
    }
    [[nodiscard]] Handle memory_of(std::int64_t planes) const {
        return {H5Screate_simple(3, size_of(planes).data(), nullptr), H5Sclose, failed_};
    }
    Handle next(std::int64_t planes) {
        const hid_t space = H5Dget_space(dataset_);
        const hsize_t start[3] = {first_, 0, 0};
        first_ += static_cast<hsize_t>(planes);
        check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, size_of(planes).data(),
                                  nullptr),
              failed_);
        return {space, H5Sclose, failed_};
    }

    hid_t dataset_;
    std::vector<hsize_t> extents_;
    std::string failed_;
    hsize_t first_ = 0;
};

// HDF5 prints its own account of each failure unless it is told not to.
void stay_silent() {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

bool is_first(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank == 0;
}

void write_all(MPI_Comm comm, const Grid& grid, const Slab& slab, const double* psi,
               std::int64_t step, const std::string& path) {
    const std::string failed = "cannot write the field to " + path;
    const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose,
                      failed);
    const Handle space(H5Screate_simple(3, extents(grid).data(), nullptr), H5Sclose, failed);
    const Handle dataset(H5Dcreate2(file.get(), "psi", H5T_IEEE_F64LE, space.get(), H5P_DEFAULT,
                                    H5P_DEFAULT, H5P_DEFAULT),
                         H5Dclose, failed);
    const Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, failed);
    const Handle attribute(
        H5Acreate2(dataset.get(), "step", H5T_STD_I64LE, scalar.get(), H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose, failed);
    check(H5Awrite(attribute.get(), H5T_NATIVE_INT64, &step), failed);
    PlanesOfDataset planes(dataset.get(), grid, failed);
    gather_planes(comm, slab, psi, cell_plane(grid),
                  [&](const double* values, std::int64_t count) { planes.write(values, count); });
    check(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), failed);
}

void check_extents(hid_t dataset, const Grid& grid, const std::string& path) {
    const Handle space(H5Dget_space(dataset), H5Sclose, "cannot read " + path);
    std::vector<hsize_t> found(3);
    const bool alike = H5Sget_simple_extent_ndims(space.get()) == 3 &&
                       H5Sget_simple_extent_dims(space.get(), found.data(), nullptr) == 3 &&
                       found == extents(grid);
    if (!alike) throw std::runtime_error(path + " holds a field of another grid");
}

}  // namespace

void write_field(MPI_Comm comm, const Grid& grid, const Slab& slab, const double* psi,
                 std::int64_t step, const std::string& path) {
    if (!is_first(comm)) {
        gather_planes(comm, slab, psi, cell_plane(grid), {});
        return;
    }
    stay_silent();
    const std::string unfinished = path + ".part";
    write_all(comm, grid, slab, psi, step, unfinished);
    if (std::rename(unfinished.c_str(), path.c_str()) != 0)
        throw std::runtime_error("cannot write the field to " + path);
}

std::int64_t read_field(MPI_Comm comm, const Grid& grid, const Slab& slab, double* psi,
                        const std::string& path) {
    std::int64_t step = 0;
    if (is_first(comm)) {
        stay_silent();
        const std::string failed = "cannot read " + path;
        const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, failed);
        const Handle dataset(H5Dopen2(file.get(), "psi", H5P_DEFAULT), H5Dclose, failed);
        check_extents(dataset.get(), grid, path);
        const Handle attribute(H5Aopen(dataset.get(), "step", H5P_DEFAULT), H5Aclose, failed);
        check(H5Aread(attribute.get(), H5T_NATIVE_INT64, &step), failed);
        PlanesOfDataset planes(dataset.get(), grid, failed);
        scatter_planes(comm, slab, psi, cell_plane(grid),
                       [&](double* values, std::int64_t count) { planes.read(values, count); });
    } else {
        scatter_planes(comm, slab, psi, cell_plane(grid), {});
    }
    MPI_Bcast(&step, 1, MPI_INT64_T, 0, comm);
    return step;
}

}  // namespace mpdata
