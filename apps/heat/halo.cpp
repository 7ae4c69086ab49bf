#include "heat/halo.hpp"

#include <array>

namespace heat {

namespace {
constexpr int tag_upwards = 1;
constexpr int tag_downwards = 2;
}  // namespace

void Halo::exchange(MPI_Comm comm, Block block) {
    has_above_ = block.count > 0 && block.offset > 0;
    has_below_ = block.count > 0 && block.offset + block.count < block.rows;
    if (!has_above_ && !has_below_) return;
    above_.resize(static_cast<std::size_t>(block.cols));
    below_.resize(static_cast<std::size_t>(block.cols));
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const int width = static_cast<int>(block.cols);
    const int before = has_above_ ? rank - 1 : MPI_PROC_NULL;
    const int after = has_below_ ? rank + 1 : MPI_PROC_NULL;
    double* first = block.row(0);
    double* last = block.row(block.count - 1);
    std::array<MPI_Request, 4> requests{};
    MPI_Irecv(above_.data(), width, MPI_DOUBLE, before, tag_downwards, comm, &requests[0]);
    MPI_Irecv(below_.data(), width, MPI_DOUBLE, after, tag_upwards, comm, &requests[1]);
    MPI_Isend(first, width, MPI_DOUBLE, before, tag_upwards, comm, &requests[2]);
    MPI_Isend(last, width, MPI_DOUBLE, after, tag_downwards, comm, &requests[3]);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace heat
