/* MPI_Comm_spawn starts a child on this host. Parent and child join in one communicator. */
#include "probe.h"

int main(int argc, char** argv) {
    MPI_Comm parent, both, all;
    begin(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    const int is_child = parent != MPI_COMM_NULL;
    if (is_child) {
        both = parent;
    } else {
        char* arguments[] = {(char*)"child", NULL};
        check(MPI_Comm_spawn(argv[0], arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &both,
                             MPI_ERRCODES_IGNORE),
              "MPI_Comm_spawn");
    }
    check(MPI_Intercomm_merge(both, is_child, &all), "MPI_Intercomm_merge");
    expect_ranks(all, 2, "parent and child");
    check(MPI_Comm_free(&all), "MPI_Comm_free");
    check(MPI_Comm_disconnect(&both), "MPI_Comm_disconnect");
    MPI_Finalize();
    if (!is_child) pass();
    return 0;
}
