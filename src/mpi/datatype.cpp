#include "mpi/datatype.hpp"

#include "mpi/check.hpp"

namespace ductile::mpi {

Datatype Datatype::of_stretches(const std::vector<MPI_Aint>& begins,
                                const std::vector<int>& bytes) {
    MPI_Datatype raw = MPI_DATATYPE_NULL;
    check(MPI_Type_create_hindexed(static_cast<int>(begins.size()), bytes.data(), begins.data(),
                                   MPI_BYTE, &raw),
          "MPI_Type_create_hindexed");
    Datatype made(raw);
    check(MPI_Type_commit(&made.raw_), "MPI_Type_commit");
    return made;
}

Datatype::~Datatype() {
    if (raw_ != MPI_DATATYPE_NULL) MPI_Type_free(&raw_);
}

}  // namespace ductile::mpi
