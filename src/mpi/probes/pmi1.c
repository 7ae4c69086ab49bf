/* The plainest run under a process manager that serves PMI-1: how many ranks has MPI_COMM_WORLD? An
 * MPI that does not speak PMI-1 takes each process for the only one of its world. */
#include "probe.h"

int main(int argc, char** argv) {
    int size = 0;
    read_arguments(argc, argv);
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int rank = rank_in(MPI_COMM_WORLD);
    if (rank == 0) fact("ranks", "%d", size);
    if (size != 2) fail("MPI_COMM_WORLD has %d ranks, not 2", size);
    MPI_Finalize();
    if (rank == 0) pass();
    return 0;
}
