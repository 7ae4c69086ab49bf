// A plane as one MPI element, so that counts stay small.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace mpdata {

class PlaneType {
  public:
    explicit PlaneType(std::int64_t width) {
        MPI_Type_contiguous(static_cast<int>(width), MPI_DOUBLE, &type_);
        MPI_Type_commit(&type_);
    }
    ~PlaneType() { MPI_Type_free(&type_); }
    PlaneType(const PlaneType&) = delete;
    PlaneType& operator=(const PlaneType&) = delete;
    [[nodiscard]] MPI_Datatype get() const { return type_; }

  private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace mpdata
