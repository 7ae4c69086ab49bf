// Compiles only without USES_WORLD.
#include <ductile/ductile.hpp>
#include <ductile/no_world.hpp>

int ranks(const ductile::Job& job) {
    int size = 0;
#ifdef USES_WORLD
    static_cast<void>(job);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#else
    MPI_Comm_size(job.comm(), &size);
#endif
    return size;
}
