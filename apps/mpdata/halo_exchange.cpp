#include "mpdata/halo_exchange.hpp"

#include <algorithm>

#include "mpdata/plane_type.hpp"

namespace mpdata {

namespace {
constexpr int tag_ghosts = 1;
}

HaloExchange::HaloExchange(MPI_Comm comm, std::int64_t planes, const GhostPlanes& ghosts,
                           bool periodic)
    : comm_(comm) {
    int ranks = 0;
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks);
    transfers_ = transfers_of(planes, ranks, rank_, ghosts, periodic);
}

void HaloExchange::run(double* first, std::int64_t width) const {
    const PlaneType plane(width);
    std::vector<MPI_Request> requests;
    for (const auto& t : transfers_) {
        double* ghosts = first + t.ghost * width;
        double* own = first + t.first * width;
        const auto count = static_cast<int>(t.count);
        if (t.from == t.to)
            std::copy_n(own, t.count * width, ghosts);
        else if (t.to == rank_)
            MPI_Irecv(ghosts, count, plane.get(), t.from, tag_ghosts, comm_,
                      &requests.emplace_back());
        else
            MPI_Isend(own, count, plane.get(), t.to, tag_ghosts, comm_, &requests.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace mpdata
