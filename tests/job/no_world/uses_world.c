/* Compiles only without USES_WORLD. */
#include <ductile/ductile.h>
#include <ductile/no_world.h>

int ranks(const ductile_job* job);

int ranks(const ductile_job* job) {
    int size = 0;
#ifdef USES_WORLD
    (void)job;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#else
    MPI_Comm_size(ductile_job_comm(job), &size);
#endif
    return size;
}
