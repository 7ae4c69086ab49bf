/* A program written for MaM. Only its include path has to do with Ductile.
 *   mam_program ELEMENTS TARGET...
 * resizes itself to each TARGET in turn, and checks its data. At TARGET 0 it computes until
 * `ductile resize` resizes it. */
#include "MAM.h"

#include <mpi.h>
#include <stdint.h>
#include <string.h>

#define SLICE 3
#define PITCH 4 /* values from slice to slice; the last of them is not data */

static MPI_Comm comm = MPI_COMM_WORLD;
static MPI_Datatype slice;
static int rank, size;
static size_t elements;
static int64_t bad;

/* The data of the job. */
static double* u;           /* distributed and variable: element i is i + steps */
static double* slices;      /* distributed and variable: slice i is i, i + 1, i + 2, each + steps */
static long* coefficients;  /* distributed and constant: 3 i */
static int progress[2];     /* replicated and variable: steps, targets that were begun */
static char title[16] = ""; /* replicated and constant */

static size_t count(void) {
    return elements / (size_t)size + ((size_t)rank < elements % (size_t)size ? 1 : 0);
}

static size_t offset(void) {
    const size_t more = elements % (size_t)size, r = (size_t)rank;
    return r * (elements / (size_t)size) + (r < more ? r : more);
}

static void look_who_is_there(void) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
}

static void begin(void) {
    size_t i, j, index = 99;
    u = malloc((count() + 1) * sizeof *u);
    slices = calloc((count() + 1) * PITCH, sizeof *slices);
    coefficients = malloc((count() + 1) * sizeof *coefficients);
    for (i = 0; i < count(); ++i) {
        u[i] = (double)(offset() + i);
        coefficients[i] = 3 * (long)(offset() + i);
        for (j = 0; j < SLICE; ++j) slices[i * PITCH + j] = (double)(offset() + i + j);
    }
    memcpy(title, "of all processes", sizeof title);
    title[15] = '!';
    MAM_Data_add(coefficients, &index, elements, MPI_LONG, MAM_DATA_DISTRIBUTED, MAM_DATA_CONSTANT);
    if (index != 0) ++bad;
    MAM_Data_add(u, NULL, elements, MPI_FLOAT, MAM_DATA_DISTRIBUTED, MAM_DATA_VARIABLE);
    MAM_Data_add(slices, &index, elements, slice, MAM_DATA_DISTRIBUTED, MAM_DATA_VARIABLE);
    if (index != 1) ++bad;
    MAM_Data_modify(u, 0, elements, MPI_DOUBLE, MAM_DATA_DISTRIBUTED, MAM_DATA_VARIABLE);
    MAM_Data_add(progress, NULL, 2, MPI_INT, MAM_DATA_REPLICATED, MAM_DATA_VARIABLE);
    MAM_Data_add(title, NULL, sizeof title, MPI_CHAR, MAM_DATA_REPLICATED, MAM_DATA_CONSTANT);
}

static void* pointer(size_t index, size_t wanted, MPI_Datatype* type, int replicated,
                     int constant) {
    void* data = NULL;
    size_t total = 0, entries = 0;
    MAM_Data_get_entries(replicated, constant, &entries);
    if (index >= entries) return NULL;
    MAM_Data_get_pointer(&data, index, &total, type, replicated, constant);
    if (total != wanted) ++bad;
    return data;
}

/* After a resize distributed data is in other memory. The program frees the old memory. */
static void fetch_distributed(void) {
    MPI_Datatype type;
    MPI_Aint begin = 0, bytes = 0;
    free(u);
    free(slices);
    free(coefficients);
    u = pointer(0, elements, &type, MAM_DATA_DISTRIBUTED, MAM_DATA_VARIABLE);
    if (type != MPI_DOUBLE) ++bad;
    slices = pointer(1, elements, &type, MAM_DATA_DISTRIBUTED, MAM_DATA_VARIABLE);
    MPI_Type_get_extent(type, &begin, &bytes);
    if (bytes != PITCH * sizeof(double)) ++bad;
    coefficients = pointer(0, elements, &type, MAM_DATA_DISTRIBUTED, MAM_DATA_CONSTANT);
    if (type != MPI_LONG) ++bad;
}

/* On an added process: copies the data that has arrived to the program's variables, and registers
 * the variables in place of it. */
static void fetch_replicated(void) {
    void* arrived = pointer(0, 2, NULL, MAM_DATA_REPLICATED, MAM_DATA_VARIABLE);
    memcpy(progress, arrived, sizeof progress);
    MAM_Data_modify(progress, 0, 2, MPI_INT, MAM_DATA_REPLICATED, MAM_DATA_VARIABLE);
    free(arrived);
    arrived = pointer(0, sizeof title, NULL, MAM_DATA_REPLICATED, MAM_DATA_CONSTANT);
    memcpy(title, arrived, sizeof title);
    MAM_Data_modify(title, 0, sizeof title, MPI_CHAR, MAM_DATA_REPLICATED, MAM_DATA_CONSTANT);
    free(arrived);
}

static void check(void) {
    const double steps = progress[0];
    size_t i, j;
    for (i = 0; i < count(); ++i) {
        const double value = (double)(offset() + i) + steps;
        if (u[i] != value || coefficients[i] != 3 * (long)(offset() + i)) ++bad;
        for (j = 0; j < SLICE; ++j)
            if (slices[i * PITCH + j] != value + (double)j) ++bad;
    }
    if (memcmp(title, "of all processe!", sizeof title) != 0) ++bad;
}

static void iterate(void) {
    int one = 1, sum = 0;
    size_t i, j;
    check();
    for (i = 0; i < count(); ++i) {
        u[i] += 1;
        for (j = 0; j < SLICE; ++j) slices[i * PITCH + j] += 1;
    }
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (sum != size) ++bad;
    ++progress[0];
}

static void say(const char* what) {
    int64_t all = 0;
    double spawn = -1, all_in_all = -1;
    check();
    MAM_Retrieve_times(NULL, &spawn, NULL, NULL, NULL, &all_in_all);
    if (spawn < 0 || all_in_all < spawn || all_in_all > 60) ++bad;
    MPI_Reduce(&bad, &all, 1, MPI_INT64_T, MPI_SUM, 0, comm);
    if (rank == 0) printf("%s: %d processes, bad %d\n", what, size, (int)all);
    fflush(stdout);
}

static int is_pending(int state, int target) {
    return state == MAM_PENDING || (target == 0 && state == MAM_NOT_STARTED);
}

static const char* resize(int target) {
    int state = MAM_NOT_STARTED, answer = MAM_OK;
    if (target > 0 && MAM_Set_target_number((unsigned)target) != target) ++bad;
    ++progress[1];
    do {
        iterate();
        if (target % 2 == 0)
            answer = MAM_Checkpoint(&state, MAM_CHECK_COMPLETION);
        else
            answer = MAM_Checkpoint(&state, MAM_WAIT_COMPLETION, NULL, NULL);
    } while (is_pending(state, target));
    if (state != MAM_COMPLETED) return answer == MAM_DENIED ? "denied" : "not started";
    look_who_is_there();
    fetch_distributed();
    return "resized";
}

int main(int argc, char** argv) {
    MPI_Datatype together;
    int answer = 0;
    elements = (size_t)atol(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Type_contiguous(SLICE, MPI_DOUBLE, &together);
    MPI_Type_create_resized(together, 0, PITCH * sizeof(double), &slice);
    MPI_Type_commit(&slice);
    MPI_Type_free(&together);
    answer = MAM_Init(0, &comm, argv[0], NULL, NULL);
    look_who_is_there();
    if (answer == MAM_TARGETS) {
        fetch_distributed();
        fetch_replicated();
        say("resized");
    } else {
        begin();
        say("began");
    }
    while (progress[1] < argc - 2) {
        const char* what = resize(atoi(argv[progress[1] + 2]));
        say(what);
    }
    free(u);
    free(slices);
    free(coefficients);
    MPI_Comm_free(&comm);
    answer = MAM_Finalize();
    MPI_Type_free(&slice);
    MPI_Finalize();
    return answer == 0 && bad == 0 ? 0 : 1;
}
