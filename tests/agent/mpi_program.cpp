// A small MPI program. Each rank prints its number. With an argument, it also prints how many ranks
// MPI finds on its machine.
#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, size = 0, one = 1, sum = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int here = 0;
    if (argc > 1) {
        MPI_Comm machine = MPI_COMM_NULL;
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
        MPI_Comm_size(machine, &here);
        MPI_Comm_free(&machine);
    }
    std::printf("rank %d of %d", rank, sum == size ? size : -1);
    if (argc > 1) std::printf(", %d here", here);
    std::printf("\n");
    MPI_Finalize();
    return 0;
}
