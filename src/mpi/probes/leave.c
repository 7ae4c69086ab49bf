/* A group joins and leaves while the program goes on: the group's run must end, and no process of
 * it may stay on the host. `doctor` then writes the file `newcomers_gone.0`. */
#include "join.h"

int main(int argc, char** argv) {
    MPI_Comm bridge = MPI_COMM_NULL, joined, stayed;
    begin(&argc, &argv);
    const int is_program = has_role("program");
    const int is_leader = rank_in(MPI_COMM_WORLD) == 0;
    if (is_leader) bridge = is_program ? accept_bridge(0) : connect_bridge(0);
    check(
        join_over(bridge, MPI_COMM_WORLD, is_program ? program_side : newcomer_side, 20.0, &joined),
        "MPI_Intercomm_create");
    expect_ranks(joined, 4, "the joined communicator");

    check(MPI_Comm_split(joined, is_program ? 0 : MPI_UNDEFINED, 0, &stayed), "MPI_Comm_split");
    check(MPI_Comm_free(&joined), "MPI_Comm_free");
    if (is_leader) check(MPI_Comm_free(&bridge), "MPI_Comm_free");
    if (is_program) {
        const double start = now_s();
        if (is_leader) wait_for_file("newcomers_gone", 0);
        expect_ranks(stayed, 2, "what stayed");
        if (is_leader) fact("gone_ms", "%.0f", (now_s() - start) * 1e3);
        check(MPI_Comm_free(&stayed), "MPI_Comm_free");
    }
    finish();
    if (is_program && is_leader) pass();
    return ended();
}
