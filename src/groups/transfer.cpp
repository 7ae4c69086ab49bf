#include "groups/transfer.hpp"

#include <limits>
#include <string>

#include "mpi/check.hpp"

namespace ductile::groups {

Segments::Segments(std::int64_t count, MPI_Datatype type, std::int64_t segment_bytes)
    : count_(count), type_(type) {
    MPI_Aint lower = 0, extent = 0, true_extent = 0;
    mpi::check(MPI_Type_get_extent(type, &lower, &extent), "MPI_Type_get_extent");
    extent_ = extent;
    if (extent_ > 0 && count > std::numeric_limits<std::int64_t>::max() / extent_)
        throw InputError("an operation of a process group was given " + std::to_string(count) +
                         " elements, which no memory holds");
    mpi::check(MPI_Type_get_true_extent(type, &lower, &true_extent), "MPI_Type_get_true_extent");
    lower_ = lower;
    true_extent_ = true_extent;
    int bytes = 0;
    mpi::check(MPI_Type_size(type, &bytes), "MPI_Type_size");
    dense_ = lower_ == 0 && bytes == extent_ && true_extent_ == extent_;
    const auto element = std::max<std::int64_t>(1, extent_);
    size_ = std::clamp<std::int64_t>(segment_bytes / element, 1, std::numeric_limits<int>::max());
    number_ = std::max<std::int64_t>(1, (count_ + size_ - 1) / size_);
}

std::size_t Segments::bytes_of(std::int64_t elements) const {
    if (elements == 0) return 0;
    return static_cast<std::size_t>(true_extent_ + (elements - 1) * extent_);
}

}  // namespace ductile::groups
