/* Newcomers are killed while they join. The program's ranks join in helper threads, over a
 * duplicate of their communicator. They agree that this join failed, go on, and join the next
 * group. ROLE: program | first_MOMENT | second. MOMENT: `before` (the leaders are connected, and
 * the newcomers die before MPI_Intercomm_create) or `halfway` (they die after MPI_Intercomm_create,
 * before the merge). */
#include <pthread.h>
#include <signal.h>

#include "join.h"

/* Owned by a helper thread that may never return: not freed. */
struct helper {
    MPI_Comm bridge;
    MPI_Comm own;
    MPI_Comm joined;
    double limit_s;
    int code;
    volatile int finished;
};

static void* join_in_helper(void* argument) {
    struct helper* helper = argument;
    int one = 1, sum = 0;
    int code =
        join_over(helper->bridge, helper->own, program_side, helper->limit_s, &helper->joined);
    if (code == MPI_SUCCESS) code = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, helper->joined);
    if (code == MPI_SUCCESS) code = MPI_Barrier(helper->joined);
    helper->code = code;
    __sync_synchronize();
    helper->finished = 1;
    return NULL;
}

/* Collective over `program`. Joins group NUMBER. Returns whether all of the program's ranks did so
 * in time. `why`: if not, the reason as this rank sees it. */
static int join_group(MPI_Comm program, int number, double limit_s, MPI_Comm* joined,
                      const char** why) {
    struct helper* helper = calloc(1, sizeof *helper);
    pthread_t thread;
    int mine, all = 0;
    helper->bridge = MPI_COMM_NULL;
    if (rank_in(program) == 0) helper->bridge = accept_bridge(number);
    check(MPI_Comm_dup(program, &helper->own), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(helper->own, MPI_ERRORS_RETURN);
    helper->limit_s = limit_s;
    check(MPI_Barrier(program), "MPI_Barrier");
    if (pthread_create(&thread, NULL, join_in_helper, helper) != 0) fail("no thread");
    pthread_detach(thread);
    for (const double end = now_s() + 1.5 * limit_s; !helper->finished && now_s() < end;)
        usleep(1000);
    mine = helper->finished && helper->code == MPI_SUCCESS;
    *why = !helper->finished             ? "it takes too long"
           : helper->code != MPI_SUCCESS ? "MPI reports an error"
                                         : "another rank could not";
    check(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, program),
          "MPI_Allreduce after a newcomer's death");
    *joined = helper->joined;
    return all;
}

/* Does the same as mpi::BoundedSends: a send to a process that is gone fails after many tries.
 * By default MPICH repeats it for ever. */
static void bound_sends(void) {
    int level = 0, index = 0, count = 0;
    const int most_tries = 40000;
    MPI_T_cvar_handle handle;
    if (MPI_T_init_thread(MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS) return;
    if (MPI_T_cvar_get_index("MPIR_CVAR_CH4_OFI_MAX_EAGAIN_RETRY", &index) != MPI_SUCCESS) return;
    if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) return;
    if (count == 1) MPI_T_cvar_write(handle, &most_tries);
    MPI_T_cvar_handle_free(&handle);
}

static void run_program(void) {
    MPI_Comm program, joined;
    const char* why;
    bound_sends();
    check(MPI_Comm_dup(MPI_COMM_WORLD, &program), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(program, MPI_ERRORS_RETURN);
    if (join_group(program, 0, 1.0, &joined, &why)) fail("a dead group was joined");
    expect_ranks(program, 2, "the program after a newcomer's death");
    if (!join_group(program, 1, 6.0, &joined, &why))
        fail("the next group could not be joined after a newcomer's death: %s", why);
    expect_ranks(joined, 4, "the program with the next group");
    write_file("done", rank_in(program), "");
    if (rank_in(program) == 0) {
        wait_for_file("done", 1);
        pass();
    }
}

static void run_newcomers(int number) {
    MPI_Comm bridge = MPI_COMM_NULL, joined;
    int one = 1, sum = 0;
    const int rank = rank_in(MPI_COMM_WORLD);
    if (rank == 0) bridge = connect_bridge(number);
    MPI_Barrier(MPI_COMM_WORLD);
    if (has_role("first_before")) raise(SIGKILL);
    if (has_role("first_halfway")) {
        MPI_Comm both;
        if (rank == 0) MPI_Send(&one, 1, MPI_INT, 0, 6, bridge);
        MPI_Intercomm_create(MPI_COMM_WORLD, 0, bridge, 0, 5, &both);
        raise(SIGKILL);
    }
    check(join_over(bridge, MPI_COMM_WORLD, newcomer_side, 20.0, &joined), "MPI_Intercomm_create");
    check(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, joined), "MPI_Allreduce");
    check(MPI_Barrier(joined), "MPI_Barrier");
    expect_ranks(joined, 4, "the program with the next group");
}

int main(int argc, char** argv) {
    read_arguments(argc, argv);
    if (has_role("second"))
        wait_for_file("port", 1); /* do not take a core before the first group is dead */
    begin(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    remove_shared_memory(); /* all ranks have opened it; a run that is killed leaves no file */
    if (has_role("program"))
        run_program();
    else
        run_newcomers(has_role("second") ? 1 : 0);
    remove_shared_memory();
    _exit(0); /* a helper may be stuck inside MPI: MPI_Finalize would wait for it */
}
