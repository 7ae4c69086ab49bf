/* Parallel starts: two ranks spawn a child each at the same time, and each child spawns a
 * grandchild. */
#include "probe.h"

static MPI_Comm spawn_one(const char* program, const char* role) {
    char* arguments[] = {(char*)role, NULL};
    MPI_Comm child;
    check(MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child,
                         MPI_ERRCODES_IGNORE),
          has_role("child") ? "MPI_Comm_spawn by a spawned process"
                            : "MPI_Comm_spawn by two ranks at once");
    return child;
}

/* Receives from CHILD how many processes its part of the tree has. Returns this number plus 1, for
 * this process. */
static int count_from(MPI_Comm child) {
    int below = 0;
    check(MPI_Recv(&below, 1, MPI_INT, 0, 1, child, MPI_STATUS_IGNORE), "MPI_Recv");
    return below + 1;
}

int main(int argc, char** argv) {
    MPI_Comm parent, child;
    int processes = 1;
    begin(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (!has_role("grandchild")) {
        child = spawn_one(argv[0], parent == MPI_COMM_NULL ? "child" : "grandchild");
        processes = count_from(child);
        check(MPI_Comm_disconnect(&child), "MPI_Comm_disconnect");
    }
    if (parent != MPI_COMM_NULL) {
        check(MPI_Send(&processes, 1, MPI_INT, 0, 1, parent), "MPI_Send");
        check(MPI_Comm_disconnect(&parent), "MPI_Comm_disconnect");
        MPI_Finalize();
        return 0;
    }
    int all = 0;
    check(MPI_Allreduce(&processes, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "MPI_Allreduce");
    if (all != 6) fail("%d processes, not 6", all);
    const int rank = rank_in(MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0) pass();
    return 0;
}
