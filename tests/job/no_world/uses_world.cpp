// Compiles with USES_JOB alone.
#include <ductile/ductile.hpp>
#include <ductile/no_world.hpp>

int ranks(const ductile::Job& job) {
    int size = 0;
#ifdef USES_JOB
    MPI_Comm_size(job.comm(), &size);
#else
    static_cast<void>(job);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#endif
    return size;
}
