#include "mpi/window.hpp"

#include "mpi/check.hpp"

namespace ductile::mpi {

Window Window::over(const Comm& comm, void* memory, std::int64_t bytes) {
    MPI_Win raw = MPI_WIN_NULL;
    check(MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, comm.get(), &raw), "MPI_Win_create");
    check(MPI_Win_set_errhandler(raw, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
    return Window(raw);
}

void Window::free() {
    check(MPI_Win_free(&raw_), "MPI_Win_free");
}

}  // namespace ductile::mpi
