#include "mpdata/field_gather.hpp"

#include <algorithm>
#include <vector>

#include "mpdata/plane_type.hpp"

namespace mpdata {

namespace {

constexpr int tag_count = 2;
constexpr int tag_planes = 3;
constexpr std::int64_t most_bytes = std::int64_t{16} << 20;

std::int64_t planes_at_once(std::int64_t width) {
    const auto plane_bytes = width * static_cast<std::int64_t>(sizeof(double));
    return std::max<std::int64_t>(1, most_bytes / plane_bytes);
}

// Calls `part(first, planes)` for parts of `count` planes.
template <class Part>
void for_each_part(std::int64_t count, std::int64_t width, Part part) {
    const std::int64_t most = planes_at_once(width);
    for (std::int64_t first = 0; first < count; first += most)
        part(first, std::min(most, count - first));
}

}  // namespace

void gather_planes(MPI_Comm comm, const Slab& slab, const double* psi, std::int64_t width,
                   const PlanesSink& sink) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const PlaneType plane(width);
    if (rank != 0) {
        MPI_Send(&slab.count, 1, MPI_INT64_T, 0, tag_count, comm);
        // Synchronous: a part is not in flight before rank 0 has room for it.
        for_each_part(slab.count, width, [&](std::int64_t first, std::int64_t planes) {
            MPI_Ssend(psi + first * width, static_cast<int>(planes), plane.get(), 0, tag_planes,
                      comm);
        });
        return;
    }
    for_each_part(slab.count, width, [&](std::int64_t first, std::int64_t planes) {
        sink(psi + first * width, planes);
    });
    std::vector<double> received;
    for (int source = 1; source < ranks; ++source) {
        std::int64_t count = 0;
        MPI_Recv(&count, 1, MPI_INT64_T, source, tag_count, comm, MPI_STATUS_IGNORE);
        for_each_part(count, width, [&](std::int64_t, std::int64_t planes) {
            received.resize(static_cast<std::size_t>(planes * width));
            MPI_Recv(received.data(), static_cast<int>(planes), plane.get(), source, tag_planes,
                     comm, MPI_STATUS_IGNORE);
            sink(received.data(), planes);
        });
    }
}

void scatter_planes(MPI_Comm comm, const Slab& slab, double* psi, std::int64_t width,
                    const PlanesSource& source) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const PlaneType plane(width);
    if (rank != 0) {
        MPI_Send(&slab.count, 1, MPI_INT64_T, 0, tag_count, comm);
        for_each_part(slab.count, width, [&](std::int64_t first, std::int64_t planes) {
            MPI_Recv(psi + first * width, static_cast<int>(planes), plane.get(), 0, tag_planes,
                     comm, MPI_STATUS_IGNORE);
        });
        return;
    }
    for_each_part(slab.count, width, [&](std::int64_t first, std::int64_t planes) {
        source(psi + first * width, planes);
    });
    std::vector<double> values;
    for (int target = 1; target < ranks; ++target) {
        std::int64_t count = 0;
        MPI_Recv(&count, 1, MPI_INT64_T, target, tag_count, comm, MPI_STATUS_IGNORE);
        for_each_part(count, width, [&](std::int64_t, std::int64_t planes) {
            values.resize(static_cast<std::size_t>(planes * width));
            source(values.data(), planes);
            MPI_Send(values.data(), static_cast<int>(planes), plane.get(), target, tag_planes,
                     comm);
        });
    }
}

std::uint64_t checksum(MPI_Comm comm, const Slab& slab, const double* psi, std::int64_t width) {
    constexpr std::uint64_t prime = 0x100000001b3U;
    std::uint64_t sum = 0xcbf29ce484222325U;
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    gather_planes(comm, slab, psi, width, [&](const double* values, std::int64_t planes) {
        const auto* bytes = reinterpret_cast<const unsigned char*>(values);
        const auto size = static_cast<std::size_t>(planes * width) * sizeof(double);
        for (std::size_t i = 0; i < size; ++i) sum = (sum ^ bytes[i]) * prime;
    });
    return rank == 0 ? sum : 0;
}

}  // namespace mpdata
