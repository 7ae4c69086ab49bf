/* A program written for DMR with the back end `mam`. Only its include path has to do with Ductile.
 *   dmr_mam_program ELEMENTS LAST
 * computes until it has been resized to LAST processes, and checks its data at each step. */
#define _POSIX_C_SOURCE 199309L
#include "dmr.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SLICE 4

static MPI_Datatype slice;
static size_t slices;
static double* field; /* the job's: value j of slice i is i + j + steps */
static long redistributions, bad;

static size_t count(void) {
    const size_t size = (size_t)DMR_comm_size, rank = (size_t)DMR_comm_rank;
    return slices / size + (rank < slices % size ? 1 : 0);
}

static size_t offset(void) {
    const size_t size = (size_t)DMR_comm_size, rank = (size_t)DMR_comm_rank, more = slices % size;
    return rank * (slices / size) + (rank < more ? rank : more);
}

/* Declares what is redistributed. */
static void mam_set(void) {
    MAM_Data_add(field, NULL, slices, slice, MAM_DATA_DISTRIBUTED, MAM_DATA_VARIABLE);
}

/* Gets the data that was redistributed. */
static void mam_retrieve(void) {
    void* data = NULL;
    size_t total = 0;
    MAM_Data_get_pointer(&data, 0, &total, NULL, MAM_DATA_DISTRIBUTED, MAM_DATA_VARIABLE);
    if (total != slices || DMR_comm_prev_size == 0) ++bad;
    if (DMR_action != (DMR_comm_size < DMR_comm_prev_size ? 2 : 1)) ++bad;
    free(field);
    field = (double*)data;
    ++redistributions;
}

static void initialise(void) {
    size_t i;
    field = (double*)malloc((count() + 1) * SLICE * sizeof *field);
    for (i = 0; i < count() * SLICE; ++i) field[i] = (double)(offset() + i / SLICE + i % SLICE);
    mam_set();
}

static void advance(void) {
    const struct timespec a_while = {0, 2000000};
    int one = 1, sum = 0, least = 0;
    size_t i;
    for (i = 0; i < count() * SLICE; ++i) {
        if (field[i] != (double)(offset() + i / SLICE + i % SLICE) + DMR_it) ++bad;
        field[i] += 1;
    }
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, DMR_COMM);
    MPI_Allreduce(&DMR_it, &least, 1, MPI_INT, MPI_MIN, DMR_COMM);
    if (sum != DMR_comm_size || least != DMR_it || DMR_action != 0) ++bad;
    nanosleep(&a_while, NULL);
}

static void say(const char* what) {
    long all = 0;
    int size = 0;
    MPI_Comm_size(DMR_COMM, &size);
    if (size != DMR_comm_size) ++bad;
    MPI_Reduce(&bad, &all, 1, MPI_LONG, MPI_SUM, 0, DMR_COMM);
    if (DMR_comm_rank == 0) printf("%s: %d processes, bad %ld\n", what, DMR_comm_size, all);
    fflush(stdout);
}

static void release(void) {
    free(field);
    field = NULL;
}

int main(int argc, char** argv) {
    long seen = 0;
    slices = (size_t)atol(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Type_contiguous(SLICE, MPI_DOUBLE, &slice);
    MPI_Type_commit(&slice);
    DMR_INIT(initialise(), mam_retrieve());
    DMR_Set_parameters(1, DMR_comm_rank == 1 && getenv("DMR_DIFFERS") != NULL ? 5 : 6);
    DMR_Inhibit_iter(3);
    if (!MaM_is_children) say("began");
    while (DMR_comm_prev_size == 0 || DMR_comm_size != atoi(argv[2])) {
        advance();
        ++DMR_it;
        DMR_RECONFIGURATION(mam_retrieve());
        if (redistributions == seen) continue;
        seen = redistributions;
        if (DMR_comm_size < DMR_comm_prev_size) say("shrunk");
    }
    advance();
    say("ends");
    DMR_FINALIZE(release());
    MPI_Type_free(&slice);
    MPI_Finalize();
    return bad == 0 && field == NULL ? 0 : 1;
}
