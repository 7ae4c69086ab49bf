/* Two runs of two ranks each: the leaders connect, and MPI_Intercomm_create joins all four ranks.
 * Then each rank sends to each rank, also to the strangers: the ranks of the other run. */
#include "join.h"

int main(int argc, char** argv) {
    MPI_Comm bridge = MPI_COMM_NULL, joined;
    int sent[4], got[4];
    begin(&argc, &argv);
    const int is_program = has_role("program");
    if (rank_in(MPI_COMM_WORLD) == 0) bridge = is_program ? accept_bridge(0) : connect_bridge(0);

    const double start = now_s();
    check(
        join_over(bridge, MPI_COMM_WORLD, is_program ? program_side : newcomer_side, 20.0, &joined),
        "MPI_Intercomm_create over a bridge of the leaders");
    expect_ranks(joined, 4, "the joined communicator");
    const int rank = rank_in(joined);
    if (is_program && rank == 0) fact("join_ms", "%.1f", (now_s() - start) * 1e3);
    if ((rank < 2) != is_program) fail("rank %d is on the wrong side", rank);
    for (int i = 0; i < 4; ++i) sent[i] = 10 * rank + i;
    check(MPI_Alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, joined), "MPI_Alltoall");
    for (int i = 0; i < 4; ++i)
        if (got[i] != 10 * i + rank) fail("rank %d got %d from rank %d", rank, got[i], i);

    check(MPI_Comm_free(&joined), "MPI_Comm_free");
    if (bridge != MPI_COMM_NULL) check(MPI_Comm_free(&bridge), "MPI_Comm_free");
    finish();
    if (is_program && rank == 0) pass();
    return ended();
}
