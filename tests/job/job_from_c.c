/* A job as a C program uses it, at one size: what each function answers, and its errors. */
#include <ductile/ductile.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect(int holds, const char* what) {
    if (holds) return;
    ++failures;
    printf("FAILED: %s (%s)\n", what, ductile_error());
}

static int says(const char* words) {
    return strstr(ductile_error(), words) != NULL;
}

/* Rank 0 has the weight `user`, each other rank 3. Fails with 9 if `user` is 0. */
static int weights(int ranks, int64_t* all, void* user) {
    const int64_t first = *(const int64_t*)user;
    int rank = 1;
    if (first == 0) return 9;
    for (all[0] = first; rank < ranks; ++rank) all[rank] = 3;
    return 0;
}

/* The weight of the elements before `element`: element 3 weighs 1 + `user`, the others 1. */
static int64_t weight_before(int64_t element, void* user) {
    return element + (element > 3 ? *(const int64_t*)user : 0);
}

/* The last rank has all elements. */
static int ranges(int ranks, int rank, ductile_range_list* list, void* user) {
    return rank == ranks - 1 ? ductile_range_list_add(list, 0, *(const int64_t*)user) : 0;
}

static void test_array(ductile_job* job, const ductile_distribution* rule, const char* name) {
    const ductile_shape shape = {.elements = 7, .value_bytes = sizeof(double), .width = 2};
    const int rank = ductile_job_rank(job), size = ductile_job_size(job);
    ductile_range held[8], told[8];
    ductile_array* array = NULL;
    double* values;
    size_t count = 0, again = 0, i;
    int64_t held_elements = 0, local = -1, element = -1;
    int owner = -1;
    expect(ductile_job_distribute(job, name, &shape, rule, &array) == DUCTILE_SUCCESS, name);
    expect(ductile_array_elements(array) == 7 && ductile_array_width(array) == 2, "shape");
    expect(ductile_array_ranges(array, held, 8, &count) == DUCTILE_SUCCESS, "ranges");
    expect(ductile_distribution_ranges(rule, 7, size, rank, told, 8, &again) == DUCTILE_SUCCESS &&
               again == count && (count == 0 || memcmp(held, told, count * sizeof *held) == 0),
           "ranges of the rule");
    for (i = 0; i < count; ++i) held_elements += held[i].end - held[i].begin;
    expect(held_elements == ductile_array_count(array), "count");
    expect(ductile_array_offset(array) == (count > 0 ? held[0].begin : 7), "offset");
    values = ductile_array_data(array);
    for (i = 0; i < (size_t)held_elements * 2; ++i) expect(values[i] == 0, "zeros");
    if (count > 0) {
        expect(ductile_array_owner(array, held[0].begin, &owner) == DUCTILE_SUCCESS &&
                   owner == rank &&
                   ductile_distribution_owner(rule, 7, size, held[0].begin, &owner) ==
                       DUCTILE_SUCCESS &&
                   owner == rank,
               "owner");
        expect(ductile_array_to_local(array, held[0].begin, &local) == DUCTILE_SUCCESS &&
                   local == 0 &&
                   ductile_array_to_global(array, local, &element) == DUCTILE_SUCCESS &&
                   element == held[0].begin,
               "indices");
        expect(ductile_array_ranges(array, NULL, 0, &again) == DUCTILE_SUCCESS && again == count,
               "how many ranges");
        expect(ductile_array_ranges(array, NULL, 1, &again) == DUCTILE_ERR_USAGE, "no room");
    }
    expect(ductile_array_owner(array, 7, &owner) == DUCTILE_ERR_INPUT && says(name), "element 7");
    expect(ductile_job_distribute(job, name, &shape, rule, &array) == DUCTILE_ERR_USAGE &&
               array == NULL && says("registered already"),
           "a name twice");
}

static int weights_by_host(int ranks, const ductile_rank_host* hosts, int64_t* weights,
                           void* user) {
    int rank;
    for (rank = 0; rank < ranks; ++rank) {
        if (hosts[rank].host != 0 || hosts[rank].ranks != ranks) return 9;
        weights[rank] = *(int64_t*)user;
    }
    return 0;
}

static void test_equal_blocks(ductile_job* job, const ductile_distribution* rule,
                              const char* name) {
    const ductile_shape shape = {.elements = 7, .value_bytes = 8};
    const int rank = ductile_job_rank(job), size = ductile_job_size(job);
    const int64_t begin = (7 * rank + size - 1) / size, end = (7 * rank + 7 + size - 1) / size;
    ductile_array* array = NULL;
    ductile_range held[8];
    size_t count = 0;
    expect(ductile_job_distribute(job, name, &shape, rule, &array) == DUCTILE_SUCCESS, name);
    expect(ductile_array_ranges(array, held, 8, &count) == DUCTILE_SUCCESS, name);
    expect(begin == end ? count == 0 : count == 1 && held[0].begin == begin && held[0].end == end,
           name);
    ductile_array_free(&array);
}

static void test_rules_by_hosts(ductile_job* job) {
    int64_t two = 2;
    ductile_distribution* rule = NULL;
    ductile_rank_host hosts[8];
    ductile_range range;
    size_t count = 0;
    const int size = ductile_job_size(job);
    expect(size <= 8 && ductile_job_hosts(job, hosts) == DUCTILE_SUCCESS, "hosts");
    expect(hosts[size - 1].host == 0 && hosts[size - 1].ranks == size, "one host for all");
    expect(hosts[0].local_rank == -1, "no local rank without `ductile run`");
    expect(ductile_job_hosts(job, NULL) == DUCTILE_ERR_USAGE, "hosts: NULL");
    expect(ductile_distribution_by_hosts(weights_by_host, &two, &rule) == DUCTILE_SUCCESS,
           "by_hosts");
    test_equal_blocks(job, rule, "by hosts");
    expect(ductile_distribution_ranges(rule, 4, 2, 0, &range, 1, &count) == DUCTILE_ERR_INPUT &&
               says("not known here"),
           "by hosts, of no job");
    ductile_distribution_free(&rule);
    expect(ductile_distribution_by_hosts(NULL, NULL, &rule) == DUCTILE_ERR_USAGE, "by_hosts: NULL");
    expect(ductile_distribution_by_slots(&rule) == DUCTILE_SUCCESS, "by_slots");
    test_equal_blocks(job, rule, "by slots");
    ductile_distribution_free(&rule);
}

static void test_rules(ductile_job* job) {
    const int64_t extents[2] = {7, 5}, all = 7, one = 1, none = 0, eight = 8;
    const ductile_shape shape = {.elements = 7, .value_bytes = 8, .type = "double"};
    ductile_distribution* rule = NULL;
    ductile_array* array = NULL;
    ductile_range range;
    size_t count = 0;
    const int size = ductile_job_size(job);
    test_array(job, NULL, "blocks");
    expect(ductile_distribution_cyclic(2, &rule) == DUCTILE_SUCCESS, "cyclic");
    test_array(job, rule, "in turn");
    ductile_distribution_free(&rule);
    expect(rule == NULL, "free");
    expect(ductile_distribution_by_weights(weights, (void*)&one, &rule) == DUCTILE_SUCCESS,
           "by_weights");
    expect(ductile_distribution_ranges(rule, 4, 2, 0, &range, 1, &count) == DUCTILE_SUCCESS &&
               count == 1 && range.begin == 0 && range.end == 1,
           "one of four");
    test_array(job, rule, "by weights");
    ductile_distribution_free(&rule);
    expect(ductile_distribution_balanced(weight_before, (void*)&eight, &rule) == DUCTILE_SUCCESS,
           "balanced");
    expect(ductile_distribution_ranges(rule, 6, 2, 0, &range, 1, &count) == DUCTILE_SUCCESS &&
               range.end == 4,
           "the heavy one ends a block");
    test_array(job, rule, "balanced");
    ductile_distribution_free(&rule);
    ductile_distribution_by_weights(weights, (void*)&none, &rule);
    expect(ductile_job_distribute(job, "no weights", &shape, rule, &array) == DUCTILE_ERR_INPUT &&
               says("returned 9"),
           "a function that fails");
    ductile_distribution_free(&rule);
    expect(ductile_distribution_by_ranges(ranges, (void*)&all, &rule) == DUCTILE_SUCCESS,
           "by_ranges");
    test_array(job, rule, "by ranges");
    ductile_distribution_free(&rule);
    expect(ductile_distribution_along(extents, 2, 1, &rule) == DUCTILE_SUCCESS, "along");
    expect(ductile_distribution_ranges(rule, 35, 1, 0, &range, 1, &count) == DUCTILE_SUCCESS &&
               count == 1 && range.end == 35,
           "along, of one rank");
    ductile_distribution_free(&rule);
    expect(ductile_distribution_grid(extents, 1, &rule) == DUCTILE_SUCCESS, "grid");
    test_array(job, rule, "grid");
    ductile_distribution_free(&rule);
    expect(ductile_distribution_along(extents, 2, 2, &rule) == DUCTILE_ERR_INPUT && rule == NULL,
           "dimension 2 of 2");
    expect(ductile_distribution_grid(extents, 0, &rule) == DUCTILE_ERR_INPUT, "no dimension");
    expect(ductile_distribution_cyclic(0, &rule) == DUCTILE_ERR_INPUT, "blocks of 0");
    expect(ductile_distribution_by_ranges(NULL, NULL, &rule) == DUCTILE_ERR_USAGE, "no function");
    expect(ductile_distribution_owner(NULL, 7, size, 6, NULL) == DUCTILE_ERR_USAGE, "no owner");
}

static void test_values(ductile_job* job) {
    int steps = 3;
    double rate = 0.5;
    const ductile_memory pieces[2] = {{&steps, sizeof steps}, {&rate, sizeof rate}};
    ductile_value* value = NULL;
    expect(ductile_job_replicate(job, "steps", &steps, sizeof steps, &value) == DUCTILE_SUCCESS,
           "replicate");
    expect(ductile_job_replicate(job, "steps", &rate, sizeof rate, NULL) == DUCTILE_ERR_USAGE,
           "a name twice");
    expect(ductile_value_free(&value) == DUCTILE_SUCCESS && value == NULL, "free");
    expect(ductile_job_replicate_several(job, "steps", pieces, 2, &value) == DUCTILE_SUCCESS,
           "several");
    ductile_value_free(&value);
    expect(ductile_job_replicate(job, "nothing", NULL, 4, NULL) == DUCTILE_ERR_USAGE, "no memory");
    expect(ductile_job_replicate(job, NULL, &steps, 4, NULL) == DUCTILE_ERR_USAGE, "no name");
}

static int count_calls(void* user) {
    return ++*(int*)user == 2 ? 6 : 0;
}

static void test_hooks(ductile_job* job) {
    static int rebuilt = 0, moved = 0; /* must live as long as the job */
    expect(ductile_job_on_rebuild(job, count_calls, &rebuilt) == DUCTILE_SUCCESS && rebuilt == 1,
           "rebuild is called at once");
    expect(ductile_job_on_rebuild(job, count_calls, &rebuilt) == DUCTILE_ERR_OTHER &&
               says("`on_rebuild` returned 6"),
           "what it returns");
    expect(ductile_job_before_move(job, count_calls, &moved) == DUCTILE_SUCCESS && moved == 0,
           "nothing moves");
    expect(ductile_job_before_move(job, NULL, NULL) == DUCTILE_ERR_USAGE, "no function");
}

static void test_halo(ductile_job* job) {
    const ductile_shape shape = {
        .elements = 7, .value_bytes = 8, .halo_before = 1, .halo_after = 2};
    const ductile_shape wrong = {.elements = 7, .value_bytes = 8, .halo_before = -1};
    ductile_array* array = NULL;
    double* values;
    int64_t i;
    expect(ductile_job_distribute(job, "halo", &shape, NULL, &array) == DUCTILE_SUCCESS, "halo");
    values = ductile_array_data(array);
    for (i = -1; i < ductile_array_count(array) + 2; ++i) expect(values[i] == 0, "room, of zeros");
    expect(ductile_array_freeze(array) == DUCTILE_SUCCESS, "freeze");
    expect(ductile_array_freeze(NULL) == DUCTILE_ERR_USAGE, "freeze what is not there");
    expect(ductile_array_move_only(NULL, MPI_INT) == DUCTILE_ERR_USAGE, "of what is not there");
    expect(ductile_array_move_only(array, MPI_DATATYPE_NULL) == DUCTILE_ERR_INPUT, "by no type");
    ductile_array_free(&array);
    expect(ductile_job_distribute(job, "halo", &wrong, NULL, &array) == DUCTILE_ERR_INPUT,
           "a negative halo");
}

static void test_rows(ductile_job* job) {
    const ductile_shape shape = {.elements = 7, .value_bytes = 4, .type = "int"};
    const ductile_shape wide = {.elements = 7, .value_bytes = 4, .width = 2};
    const int64_t lengths[7] = {2, 0, 3, 1, 1, 1, 1}, negative[7] = {-1};
    ductile_array *rows = NULL, *array = NULL;
    size_t count;
    expect(ductile_job_distribute_rows(job, "rows", &wide, NULL, &rows) == DUCTILE_ERR_INPUT,
           "rows have no width");
    expect(ductile_job_distribute_rows(job, "rows", &shape, NULL, &rows) == DUCTILE_SUCCESS,
           "rows");
    count = (size_t)ductile_array_count(rows);
    expect(ductile_array_data(rows) == NULL && ductile_array_starts(rows)[count] == 0, "no values");
    expect(ductile_array_set_lengths(rows, lengths, count) == DUCTILE_SUCCESS, "lengths");
    expect(ductile_array_starts(rows)[0] == 0 && (count < 1 || ductile_array_starts(rows)[1] == 2),
           "starts");
    if (count > 0) expect(((int*)ductile_array_data(rows))[1] == 0, "values are zero");
    expect(ductile_array_set_lengths(rows, lengths, count + 1) == DUCTILE_ERR_INPUT, "too many");
    if (count > 0)
        expect(ductile_array_set_lengths(rows, negative, count) == DUCTILE_ERR_INPUT, "negative");
    expect(ductile_array_set_lengths(rows, NULL, 1) == DUCTILE_ERR_USAGE, "no lengths");
    expect(ductile_array_move_only(rows, MPI_INT) == DUCTILE_ERR_USAGE && says("rows"),
           "rows move as a whole");
    expect(ductile_job_distribute(job, "elements", &shape, NULL, &array) == DUCTILE_SUCCESS &&
               ductile_array_starts(array) == NULL &&
               ductile_array_set_lengths(array, lengths, count) == DUCTILE_ERR_USAGE &&
               says("'elements'"),
           "elements are no rows");
    ductile_array_free(&array);
    ductile_array_free(&rows);
    expect(ductile_array_starts(NULL) == NULL, "no rows");
}

static int first_rank(const void* record, int ranks, void* user) {
    (void)record;
    (void)ranks;
    (void)user;
    return 0;
}

static void test_records(ductile_job* job) {
    ductile_records* records = NULL;
    expect(
        ductile_job_redistribute_by(job, "r", 4, NULL, NULL, NULL, &records) == DUCTILE_ERR_USAGE,
        "no owner");
    expect(ductile_job_redistribute_by(job, "r", 0, NULL, first_rank, NULL, &records) ==
               DUCTILE_ERR_INPUT,
           "records of 0 bytes");
    expect(ductile_job_redistribute_by(job, "r", 4, "int", first_rank, NULL, &records) ==
                   DUCTILE_SUCCESS &&
               ductile_records_count(records) == 0,
           "records");
    expect(ductile_records_resize(records, 3) == DUCTILE_SUCCESS &&
               ductile_records_count(records) == 3,
           "three");
    ((int*)ductile_records_data(records))[1] = 5;
    expect(ductile_records_resize(records, 1000) == DUCTILE_SUCCESS &&
               ((int*)ductile_records_data(records))[1] == 5 &&
               ((int*)ductile_records_data(records))[999] == 0,
           "more");
    expect(ductile_records_resize(records, -1) == DUCTILE_ERR_INPUT &&
               ductile_records_resize(records, INT64_MAX) == DUCTILE_ERR_INPUT &&
               ductile_records_count(records) == 1000,
           "no such number");
    expect(ductile_records_free(&records) == DUCTILE_SUCCESS && records == NULL, "free");
    expect(ductile_records_count(NULL) == -1 && ductile_records_data(NULL) == NULL &&
               ductile_records_resize(NULL, 1) == DUCTILE_ERR_USAGE,
           "no records");
}

static int prepare_nothing(ductile_place next, void* user) {
    (void)next;
    (void)user;
    return 0;
}
static int move_nothing(const ductile_data_move* move, void* user) {
    (void)move;
    (void)user;
    return 0;
}

static void* no_memory(size_t bytes, void* user) {
    (void)bytes;
    (void)user;
    return NULL;
}

static void test_schema(void) {
    const ductile_array_memory memory = {no_memory, NULL, NULL, NULL, DUCTILE_DEVICE_NONE};
    const ductile_array_memory odd = {no_memory, NULL, NULL, NULL, 9};
    ductile_schema* schema = NULL;
    ductile_job* job = NULL;
    expect(ductile_schema_create(NULL) == DUCTILE_ERR_USAGE, "a schema for nobody");
    expect(ductile_schema_create(&schema) == DUCTILE_SUCCESS && schema != NULL, "schema");
    expect(ductile_schema_on_prepare(schema, NULL, NULL) == DUCTILE_ERR_USAGE, "prepare: NULL");
    expect(ductile_schema_on_redistribute(schema, NULL, NULL) == DUCTILE_ERR_USAGE, "move: NULL");
    expect(ductile_schema_on_prepare(NULL, prepare_nothing, NULL) == DUCTILE_ERR_USAGE &&
               says("schema"),
           "no schema");
    expect(ductile_schema_on_prepare(schema, prepare_nothing, NULL) == DUCTILE_SUCCESS, "prepare");
    expect(ductile_schema_on_redistribute(schema, move_nothing, NULL) == DUCTILE_SUCCESS, "move");
    expect(ductile_schema_keep_in(schema, "u", NULL, NULL) == DUCTILE_ERR_USAGE, "memory: NULL");
    expect(ductile_schema_keep_in(schema, "u", &odd, NULL) == DUCTILE_ERR_USAGE && says("9"),
           "an odd device");
    expect(ductile_schema_keep_in(schema, "u", &memory, NULL) == DUCTILE_SUCCESS, "memory");
    expect(ductile_job_create_with_schema(NULL, NULL, NULL, schema, &job) == DUCTILE_ERR_INPUT &&
               says("array 'u'") && job == NULL,
           "memory that is not freed");
    expect(ductile_schema_free(&schema) == DUCTILE_SUCCESS && schema == NULL, "free");
}

static void test_group(ductile_job* job) {
    ductile_group* even = NULL;
    int one = 1, sum = 0;
    const int rank = ductile_job_rank(job), size = ductile_job_size(job);
    expect(ductile_group_of_job(job, rank % 2 == 0 ? 0 : MPI_UNDEFINED, NULL, &even) ==
               DUCTILE_SUCCESS,
           "a group of the job");
    expect(ductile_group_member(even) == (rank % 2 == 0), "its members");
    if (rank % 2 == 0)
        expect(ductile_group_allreduce(even, &one, &sum, 1, MPI_INT, MPI_SUM) == DUCTILE_SUCCESS &&
                   sum == (size + 1) / 2,
               "its sum");
    ductile_group_free(&even);
    expect(ductile_group_renew(NULL) == DUCTILE_ERR_USAGE, "no group");
}

int main(int argc, char** argv) {
    const ductile_options wrong = {3, 2, 0, 0, 0, 0}, right = {1, 16, 0, 1, 0, 0};
    ductile_job* job = NULL;
    int rank = 0, ranks = 0, size = 0, answer = -1, sum = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &answer);
    expect(ductile_job_create(NULL, NULL, &wrong, &job) == DUCTILE_ERR_INPUT && job == NULL,
           "min above max");
    expect(ductile_job_rank(job) == -1 && ductile_job_comm(job) == MPI_COMM_NULL &&
               strcmp(ductile_job_id(job), "") == 0 && !ductile_job_member(job),
           "no job");
    expect(ductile_job_create(&argc, &argv, &right, &job) == DUCTILE_SUCCESS, "create");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_size(ductile_job_comm(job), &size);
    expect(ductile_job_rank(job) == rank && ductile_job_size(job) == size && size == ranks,
           "rank and size");
    expect(ductile_job_fresh(job) && ductile_job_member(job), "fresh, and a member");
    test_rules(job);
    test_rules_by_hosts(job);
    test_values(job);
    test_hooks(job);
    test_halo(job);
    test_rows(job);
    test_records(job);
    test_group(job);
    test_schema();
    expect(ductile_job_resize_point(job, &answer) == DUCTILE_SUCCESS && answer == DUCTILE_UNCHANGED,
           "resize point");
    expect(ductile_job_resize_point(NULL, &answer) == DUCTILE_ERR_USAGE && says("the job"),
           "no job");
    expect(ductile_job_rank(NULL) == -1 && says("the job"), "a direct answer keeps the error");
    expect(strcmp(ductile_code_meaning(99), "not a code of Ductile") == 0, "no code");
    MPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%d failures\n", sum);
    expect(ductile_job_free(&job) == DUCTILE_SUCCESS && job == NULL, "free");
    MPI_Finalize();
    return sum == 0 ? 0 : 1;
}
