/* A program written for DMR with the back end `dmrlib`. Only its include path has to do with
 * Ductile. It uses MPI_COMM_WORLD throughout, and compiles as C and as C++.
 *   dmr_world_program ELEMENTS LAST
 * computes until it has been resized to LAST processes, and checks its data at each step.
 * DMR_DIES_SENDING=RANK: this process dies in a redistribution, before it has sent anything.
 * DMR_DIFFERS=1: process 1 sets a limit that differs from that of the other processes. */
#define _POSIX_C_SOURCE 199309L
#include "dmr.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TAG 7

static int elements;
static double* field;  /* the job's: element i is i + steps */
static double* vector; /* the same, moved by DMR's own functions */
static int length;
static int growths, shrinks, starts;
static long bad;

static int first_of(int rank, int size) {
    const int more = elements % size;
    return rank * (elements / size) + (rank < more ? rank : more);
}

static int overlap(int begin, int end, int other_begin, int other_end, int* at) {
    *at = begin > other_begin ? begin : other_begin;
    return (end < other_end ? end : other_end) - *at;
}

/* Sends each new process the elements that its part and the part of this process have in common. */
static void send_field(void) {
    const char* dying = getenv("DMR_DIES_SENDING");
    int i, at, rank, size, others;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_remote_size(DMR_INTERCOMM, &others);
    if (dying != NULL && rank == atoi(dying)) raise(SIGKILL);
    for (i = 0; i < others; ++i) {
        const int begin = first_of(rank, size);
        const int n = overlap(begin, first_of(rank + 1, size), first_of(i, others),
                              first_of(i + 1, others), &at);
        if (n > 0) MPI_Send(field + (at - begin), n, MPI_DOUBLE, i, TAG, DMR_INTERCOMM);
    }
    free(field);
    if (DMR_action == 2) DMR_Send_shrink(vector, length, DMR_INTERCOMM);
    if (DMR_action == 1) DMR_Send_expand(vector, length, DMR_INTERCOMM);
    free(vector);
}

static void receive_field(void) {
    int i, at, rank, size, others;
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parent);
    if (parent != DMR_INTERCOMM) ++bad;
    MPI_Comm_remote_size(parent, &others);
    if (others != DMR_comm_prev_size) ++bad;
    field = (double*)malloc((size_t)(first_of(rank + 1, size) - first_of(rank, size) + 1) *
                            sizeof *field);
    for (i = 0; i < others; ++i) {
        const int begin = first_of(rank, size);
        const int n = overlap(begin, first_of(rank + 1, size), first_of(i, others),
                              first_of(i + 1, others), &at);
        if (n > 0)
            MPI_Recv(field + (at - begin), n, MPI_DOUBLE, i, TAG, DMR_INTERCOMM, MPI_STATUS_IGNORE);
    }
    if (DMR_action == 2) DMR_Recv_shrink(&vector, &length, DMR_INTERCOMM);
    if (DMR_action == 1) DMR_Recv_expand(&vector, &length, DMR_INTERCOMM);
}

/* DMR must tell old and new processes alike that the job grows, or that it shrinks. */
static void as_growth(void (*redistribute)(void)) {
    if (DMR_action != 1) ++bad;
    ++growths;
    redistribute();
}

static void as_shrink(void (*redistribute)(void)) {
    if (DMR_action != 2) ++bad;
    ++shrinks;
    redistribute();
}

static void initialise(void) {
    const int begin = first_of(DMR_comm_rank, DMR_comm_size);
    const int n = first_of(DMR_comm_rank + 1, DMR_comm_size) - begin;
    int i;
    field = (double*)malloc((size_t)(n + 1) * sizeof *field);
    vector = (double*)malloc((size_t)(n + 1) * sizeof *vector);
    for (i = 0; i < n; ++i) field[i] = vector[i] = begin + i;
    length = n;
    ++starts;
}

static void advance(void) {
    const struct timespec a_while = {0, 2000000};
    const int begin = first_of(DMR_comm_rank, DMR_comm_size);
    const int n = first_of(DMR_comm_rank + 1, DMR_comm_size) - begin;
    int i, one = 1, sum = 0;
    if (length != n) ++bad;
    for (i = 0; i < n; ++i) {
        if (field[i] != begin + i + DMR_it || vector[i] != field[i]) ++bad;
        field[i] += 1;
        vector[i] += 1;
    }
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum != DMR_comm_size || DMR_action != 0) ++bad;
    nanosleep(&a_while, NULL);
}

static void say(const char* what) {
    int rank, size;
    long all = 0;
    MPI_Comm parent = MPI_COMM_SELF;
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL || DMR_INTERCOMM != MPI_COMM_NULL) ++bad;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank != DMR_comm_rank || size != DMR_comm_size) ++bad;
    MPI_Reduce(&bad, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%s: %d processes, bad %ld\n", what, size, all);
    fflush(stdout);
}

static void release(void) {
    free(field);
    free(vector);
    field = vector = NULL;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    elements = atoi(argv[1]);
    DMR_INIT(initialise(), as_growth(receive_field), as_shrink(receive_field));
    DMR_Set_parameters(1, DMR_comm_rank == 1 && getenv("DMR_DIFFERS") != NULL ? 5 : 6, 4);
    DMR_Inhibit_iter(2);
    say(starts ? "began" : growths ? "grown" : "shrunk");
    while (DMR_comm_prev_size == 0 || DMR_comm_size != atoi(argv[2])) {
        advance();
        ++DMR_it;
        DMR_RECONFIGURATION(as_growth(send_field), as_shrink(send_field));
    }
    advance();
    say("ends");
    DMR_FINALIZE(release());
    MPI_Finalize();
    return bad == 0 && field == NULL ? 0 : 1;
}
