/* A program written for MaM that moves its own data at resizes, by a user function.
 *   mam_own_moves TARGET...
 * resizes itself to each TARGET in turn. Each process counts its steps. New processes get this
 * number only from the function: one call starts a message, and a later call tests whether it is
 * complete. */
#include "MAM.h"

#include <mpi.h>

static MPI_Comm comm = MPI_COMM_WORLD;
static int rank = -1, size; /* rank -1: in MAM_Init */
static int bad;

static long steps;     /* what moves */
static int targets;    /* that were begun; moved by the function, too */
static int calls;      /* of the function, in this phase */
static int phases;     /* that have ended on this process */
static int as_says[2]; /* sizes before and after, as the function was told */
static long moved[2];
static MPI_Request request = MPI_REQUEST_NULL;

static void expect(int right, const char* what) {
    if (right) return;
    ++bad;
    fprintf(stderr, "mam_own_moves: rank %d: %s\n", rank, what);
}

static void start_move(void) {
    mam_user_reconf_t info;
    int there = 0;
    expect(MAM_Get_Reconf_Info(&info) == MAM_OK, "info in the function");
    MPI_Comm_rank(info.comm, &there);
    as_says[0] = info.numS;
    as_says[1] = info.numT;
    if (rank < 0) {
        expect(info.rank_state == MAM_PROC_NEW_RANK && there >= info.numS, "a new rank");
    } else {
        expect(info.rank_state != MAM_PROC_NEW_RANK && there == rank && info.numS == size,
               "a source");
        moved[0] = steps;
        moved[1] = targets;
    }
    MPI_Ibcast(moved, 2, MPI_LONG, 0, info.comm, &request);
}

static void move_own(void* args) {
    int done = 0, state = MAM_UNRESERVED;
    expect(args == (void*)&steps, "the arguments");
    if (++calls == 1) {
        start_move();
        return;
    }
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done || calls < 3) return;
    steps = moved[0];
    targets = (int)moved[1];
    calls = 0;
    ++phases;
    MAM_Resume_redistribution(&state);
    expect(state == MAM_PENDING, "the state after the phase");
}

static void say(const char* what) {
    long most = 0;
    int all = 0;
    double user = -1, whole = -1;
    mam_user_reconf_t info;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    expect(MAM_Get_Reconf_Info(&info) == MAM_DENIED, "info outside of the function");
    MAM_Retrieve_times(NULL, NULL, NULL, NULL, &user, &whole);
    expect(phases == 0 ? user == 0 : user > 0, "the time of the function");
    expect(user <= whole, "the time of the resize");
    if (phases > 0) expect(as_says[1] == size, "the size that the function was told");
    MPI_Allreduce(&steps, &most, 1, MPI_LONG, MPI_MAX, comm);
    expect(most == steps, "the steps");
    MPI_Reduce(&bad, &all, 1, MPI_INT, MPI_SUM, 0, comm);
    if (rank == 0) printf("%s: %d processes, %ld steps, bad %d\n", what, size, steps, all);
    fflush(stdout);
}

int main(int argc, char** argv) {
    int state = MAM_NOT_STARTED, answer = 0;
    MPI_Init(&argc, &argv);
    answer = MAM_Init(0, &comm, argv[0], move_own, &steps);
    expect(phases == (answer == MAM_TARGETS), "a phase in MAM_Init");
    say(answer == MAM_TARGETS ? "resized" : "began");
    while (targets < argc - 1) {
        MAM_Set_target_number((unsigned)atoi(argv[++targets]));
        steps += 10;
        do {
            answer = MAM_Checkpoint(&state, MAM_WAIT_COMPLETION, move_own, &steps);
        } while (state == MAM_PENDING);
        expect(answer == MAM_OK && state == MAM_COMPLETED, "the resize");
        say("resized");
    }
    MPI_Comm_free(&comm);
    MAM_Finalize();
    MPI_Finalize();
    return bad == 0 ? 0 : 1;
}
