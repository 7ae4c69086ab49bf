/* Two runs of the launcher that know nothing of each other connect by a port. */
#include "join.h"

int main(int argc, char** argv) {
    begin(&argc, &argv);
    const int is_program = has_role("program");
    MPI_Comm bridge = is_program ? accept_bridge(0) : connect_bridge(0);
    check(MPI_Comm_free(&bridge), "MPI_Comm_free");
    finish();
    if (is_program) pass();
    return ended();
}
