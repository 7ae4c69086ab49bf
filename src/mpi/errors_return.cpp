#include "mpi/errors_return.hpp"

#include "mpi/check.hpp"

namespace ductile::mpi {

namespace {

MPI_Errhandler exchange_handler(MPI_Comm comm, MPI_Errhandler handler) {
    MPI_Errhandler before = MPI_ERRHANDLER_NULL;
    check(MPI_Comm_get_errhandler(comm, &before), "MPI_Comm_get_errhandler");
    check(MPI_Comm_set_errhandler(comm, handler), "MPI_Comm_set_errhandler");
    return before;
}

void put_back(MPI_Comm comm, MPI_Errhandler& handler) {
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
}

}  // namespace

ErrorsReturn::ErrorsReturn() {
    if (!is_running()) return;
    world_ = exchange_handler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    self_ = exchange_handler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

ErrorsReturn::~ErrorsReturn() {
    if (keep_ || world_ == MPI_ERRHANDLER_NULL) return;
    put_back(MPI_COMM_WORLD, world_);
    put_back(MPI_COMM_SELF, self_);
}

}  // namespace ductile::mpi
