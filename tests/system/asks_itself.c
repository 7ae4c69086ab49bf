/* A C program that asks for resizes of its own job. It has an array for each distribution rule,
 * rows, records, and on each rank a token that the program moves itself.
 *   asks_itself SIZE...
 * Rank 0 asks for each SIZE in turn. In each step each rank checks its data. */
#define _DEFAULT_SOURCE
#include <ductile/ductile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { rules = 6, elements = 35 };

static ductile_job* job;
static ductile_array* arrays[rules];
static int64_t step, step_there, asked, bad;
static int64_t speed = 2;

static void check(int code) {
    if (code == DUCTILE_SUCCESS) return;
    fprintf(stderr, "asks_itself: %s\n", ductile_error());
    exit(1);
}

/* Rank 0 is faster than the others. */
static int weights(int ranks, int64_t* all, void* user) {
    int rank;
    for (rank = 0; rank < ranks; ++rank) all[rank] = rank == 0 ? *(int64_t*)user : 1;
    return 0;
}

/* The last rank has what is left. */
static int ranges(int ranks, int rank, ductile_range_list* list, void* user) {
    (void)user;
    return ductile_range_list_add(list, rank, rank == ranks - 1 ? elements : rank + 1);
}

static ductile_distribution* make_rule(int i) {
    static const int64_t extents[2] = {7, 5};
    ductile_distribution* rule = NULL;
    if (i == 1) check(ductile_distribution_cyclic(2, &rule));
    if (i == 2) check(ductile_distribution_by_weights(weights, &speed, &rule));
    if (i == 3) check(ductile_distribution_by_ranges(ranges, NULL, &rule));
    if (i == 4) check(ductile_distribution_along(extents, 2, 1, &rule));
    if (i == 5) check(ductile_distribution_grid(extents, 2, &rule));
    return rule;
}

/* Replaces the function of the MPI, and answers that the MPI cannot access device memory. */
static int questions;
int MPIX_GPU_query_support(int device, int* is_supported) {
    enum { cuda = 0 };
    if (device == cuda) ++questions;
    *is_supported = 0;
    return MPI_SUCCESS;
}

/* Array 0 is in memory that only the functions below can access, as if it were device memory. */
static size_t in_use;

static void* allocate(size_t bytes, void* user) {
    void* memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    *(size_t*)user += bytes;
    return memory;
}
static void give_back(void* memory, size_t bytes, void* user) {
    *(size_t*)user -= bytes;
    munmap(memory, bytes);
}
/* Each part is smaller than a page, and begins at the start of a page. */
static void copy_out(void* to, const void* from, size_t bytes, void* user) {
    (void)user;
    mprotect((void*)from, bytes, PROT_READ);
    memcpy(to, from, bytes);
    mprotect((void*)from, bytes, PROT_NONE);
}
static void copy_in(void* to, const void* from, size_t bytes, void* user) {
    (void)user;
    mprotect(to, bytes, PROT_READ | PROT_WRITE);
    memcpy(to, from, bytes);
    mprotect(to, bytes, PROT_NONE);
}

static int token = -1, got = -1, sources = 0;
static ductile_place prepared;

static int prepare(ductile_place next, void* user) {
    *(ductile_place*)user = next;
    return 0;
}

/* New rank r gets the token of the old rank r % (number of old ranks). */
static int move_tokens(const ductile_data_move* move, void* user) {
    MPI_Request request = MPI_REQUEST_NULL;
    int target;
    *(int*)user = move->source_count;
    if (move->rank_after >= 0)
        MPI_Irecv(&got, 1, MPI_INT, move->sources[move->rank_after % move->source_count], 0,
                  move->comm, &request);
    for (target = 0; target < move->target_count; ++target)
        if (target % move->source_count == move->rank_before)
            MPI_Send(&token, 1, MPI_INT, move->targets[target], 0, move->comm);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void look_at_token(void) {
    const int rank = ductile_job_rank(job), size = ductile_job_size(job);
    if (sources > 0 &&
        (got != 1000 + rank % sources || prepared.rank != rank || prepared.size != size))
        ++bad;
    token = 1000 + rank;
}

/* Counts the ranks of the job's new communicator by a sum. */
static int rebuild(void* user) {
    int one = 1;
    look_at_token();
    return MPI_Allreduce(&one, user, 1, MPI_INT, MPI_SUM, ductile_job_comm(job));
}

/* Sets the replicated value of the step. It is called only when a resize is due. */
static int before(void* user) {
    *(int64_t*)user = step;
    return 0;
}

static void make_arrays(void) {
    const ductile_shape shape = {
        .elements = elements, .value_bytes = sizeof(int64_t), .type = "int64_t"};
    char name[] = "array 0";
    int i;
    for (i = 0; i < rules; ++i, ++name[6]) {
        ductile_distribution* rule = make_rule(i);
        check(ductile_job_distribute(job, name, &shape, rule, &arrays[i]));
        check(ductile_distribution_free(&rule));
    }
}

/* Each element is its index plus the numbers that the steps have added. */
static void advance(int array, int first) {
    int64_t* const part = ductile_array_data(arrays[array]);
    const size_t bytes = (size_t)ductile_array_count(arrays[array]) * sizeof *part;
    int64_t near[elements], *values = array == 0 ? near : part;
    int64_t i, global = -1;
    if (array == 0 && bytes > 0) copy_out(near, part, bytes, NULL);
    for (i = 0; i < ductile_array_count(arrays[array]); ++i) {
        check(ductile_array_to_global(arrays[array], i, &global));
        if (first) values[i] = global;
        if (values[i] != global + step) ++bad;
        ++values[i];
    }
    if (array == 0 && bytes > 0) copy_in(part, near, bytes, NULL);
}

/* Row i has i % 4 numbers: 10 i, 10 i + 1 and so on. Record i belongs to rank i % ranks. */
static ductile_array* rows;
static ductile_records* records;

static int64_t row_at(int64_t local) {
    int64_t row = -1;
    check(ductile_array_to_global(rows, local, &row));
    return row;
}

static int owner_of(const void* record, int ranks, void* user) {
    (void)user;
    return (int)(*(const int64_t*)record % ranks);
}

static void fill_rows(void) {
    const int64_t count = ductile_array_count(rows);
    int64_t lengths[elements], i, j, *values;
    for (i = 0; i < count; ++i) lengths[i] = row_at(i) % 4;
    check(ductile_array_set_lengths(rows, lengths, (size_t)count));
    values = ductile_array_data(rows);
    for (i = 0; i < count; ++i)
        for (j = 0; j < lengths[i]; ++j) *values++ = 10 * row_at(i) + j;
}

static void fill_records(void) {
    const int rank = ductile_job_rank(job), size = ductile_job_size(job);
    const int64_t count = (elements - 1 - rank) / size + 1;
    int64_t i, *all;
    check(ductile_records_resize(records, count));
    all = ductile_records_data(records);
    for (i = 0; i < count; ++i) all[i] = rank + i * size;
}

static void make_rows_and_records(void) {
    const ductile_shape shape = {.elements = elements, .value_bytes = sizeof(int64_t)};
    check(ductile_job_distribute_rows(job, "rows", &shape, NULL, &rows));
    check(ductile_job_redistribute_by(job, "records", sizeof(int64_t), NULL, owner_of, NULL,
                                      &records));
    if (!ductile_job_fresh(job)) return;
    fill_rows();
    fill_records();
}

static void look_at_rows_and_records(void) {
    const int rank = ductile_job_rank(job), size = ductile_job_size(job);
    const int64_t* starts = ductile_array_starts(rows);
    const int64_t *values = ductile_array_data(rows), *all = ductile_records_data(records);
    int64_t i, j;
    for (i = 0; i < ductile_array_count(rows); ++i) {
        if (starts[i + 1] - starts[i] != row_at(i) % 4) ++bad;
        for (j = starts[i]; j < starts[i + 1]; ++j)
            if (values[j] != 10 * row_at(i) + j - starts[i]) ++bad;
    }
    if (ductile_records_count(records) != (elements - 1 - rank) / size + 1) ++bad;
    for (i = 0; i < ductile_records_count(records); ++i)
        if (all[i] % size != rank || all[i] < 0 || all[i] >= elements) ++bad;
}

/* What has become of the last request, or NULL while it is open. */
static const char* outcome(void) {
    static const char* const names[] = {"none", NULL, "done", "refused", "rolled back", "lost"};
    const char* text = NULL;
    int state = -1;
    check(ductile_job_resize_answer(job, &state, &text));
    if (state == DUCTILE_ASKED_REFUSED && text[0] == '\0') ++bad;
    return names[state];
}

/* Makes the next request. Called on rank 0, which is the same process all the time. Returns 1 after
 * the last size. */
static int ask(int sizes, char** argv) {
    const char* last = outcome();
    if (last == NULL) return 0;
    if (asked > 0) printf("%s: %d ranks\n", last, ductile_job_size(job));
    fflush(stdout);
    if (asked == sizes) return 1;
    check(ductile_job_request_resize(job, atoi(argv[asked++])));
    return 0;
}

int main(int argc, char** argv) {
    const ductile_memory state[2] = {{&step_there, sizeof step_there}, {&asked, sizeof asked}};
    int answer = DUCTILE_UNCHANGED, at_end = 0, ranks = 0, i;
    int64_t all_bad = 0;
    ductile_schema* schema = NULL;
    const ductile_array_memory memory = {allocate, give_back, copy_out, copy_in,
                                         DUCTILE_DEVICE_CUDA};
    check(ductile_schema_create(&schema));
    check(ductile_schema_keep_in(schema, "array 0", &memory, &in_use));
    check(ductile_schema_on_prepare(schema, prepare, &prepared));
    check(ductile_schema_on_redistribute(schema, move_tokens, &sources));
    check(ductile_job_create_with_schema(&argc, &argv, NULL, schema, &job));
    check(ductile_schema_free(&schema));
    check(ductile_job_replicate_several(job, "state", state, 2, NULL));
    make_arrays();
    make_rows_and_records();
    step = step_there;
    check(ductile_job_before_move(job, before, &step_there));
    check(ductile_job_on_rebuild(job, rebuild, &ranks));
    while (answer != DUCTILE_LEAVE) {
        if (ranks != ductile_job_size(job)) ++bad;
        for (i = 0; i < rules; ++i) advance(i, step == 0);
        look_at_rows_and_records();
        if (ductile_job_rank(job) == 0) at_end = ask(argc - 1, argv + 1);
        MPI_Bcast(&at_end, 1, MPI_INT, 0, ductile_job_comm(job));
        if (at_end) break;
        ++step;
        check(ductile_job_resize_point(job, &answer));
    }
    if (at_end) {
        if (ductile_job_rank(job) == 0 && questions == 0) ++bad;
        MPI_Reduce(&bad, &all_bad, 1, MPI_INT64_T, MPI_SUM, 0, ductile_job_comm(job));
        if (ductile_job_rank(job) == 0) printf("bad %d\n", (int)all_bad);
    }
    for (i = 0; i < rules; ++i) check(ductile_array_free(&arrays[i]));
    check(ductile_array_free(&rows));
    check(ductile_records_free(&records));
    check(ductile_job_free(&job));
    if (in_use != 0) ++bad;
    return bad == 0 ? 0 : 1;
}
