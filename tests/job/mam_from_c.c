/* MaM's functions in an ordinary MPI program, where each resize is denied: forms, settings, states.
 */
#include <ductile/compat/mam.h>

static int failures = 0;

static void expect(int holds, const char* what) {
    if (holds) return;
    ++failures;
    printf("FAILED: %s\n", what);
}

static void test_settings(void) {
    int provided = 7, contained = 7;
    MAM_Set_configuration(MAM_SPAWN_BASELINE, MAM_STRAT_SPAWN_PARALLEL, MAM_PHY_DIST_SPREAD,
                          MAM_RED_POINT, MAM_STRAT_RED_WAIT_SOURCES);
    expect(MAM_Contains_strat(MAM_SPAWN_STRATEGIES, MAM_STRAT_SPAWN_PARALLEL, &contained) == 1 &&
               contained == 1,
           "a strategy");
    MAM_Set_key_configuration(MAM_SPAWN_STRATEGIES, MAM_STRAT_SPAWN_MULTIPLE, &provided);
    expect(provided == MAM_STRATS_MODIFIED, "another takes it away");
    expect(!MAM_Contains_strat(MAM_SPAWN_STRATEGIES, MAM_STRAT_SPAWN_PARALLEL, NULL), "it is gone");
    MAM_Set_key_configuration(MAM_RED_METHOD, MAM_RED_RMA_LOCKALL, &provided);
    expect(provided == MAM_RED_RMA_LOCKALL, "a method");
    MAM_Set_key_configuration(MAM_NUM_TARGETS, 3, &provided);
    expect(provided == 3, "a target number by its key");
    MAM_Set_key_configuration(99, 0, &provided);
    expect(provided == MAM_DENIED, "no key");
    MAM_Set_key_configuration(MAM_RED_METHOD, MAM_RED_POINT, NULL);
    MAM_Use_valgrind(0);
    MAM_Use_extrae(0);
}

static void test_data(void) {
    double block[8] = {0};
    int more = 1;
    void* data = NULL;
    size_t index = 9, total = 0, entries = 9;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MAM_Data_add(block, &index, 8, MPI_DOUBLE, MAM_DATA_DISTRIBUTED, MAM_DATA_CONSTANT);
    expect(index == 0, "first index");
    MAM_Data_add(block, &index, 4, MPI_DOUBLE, MAM_DATA_DISTRIBUTED, MAM_DATA_CONSTANT);
    expect(index == 1, "second index");
    MAM_Data_add(&more, &index, 1, MPI_INT, MAM_DATA_REPLICATED, MAM_DATA_VARIABLE);
    expect(index == 0, "each kind is counted from 0");
    MAM_Data_modify(block + 1, 1, 7, MPI_DOUBLE, MAM_DATA_DISTRIBUTED, MAM_DATA_CONSTANT);
    MAM_Data_get_pointer(&data, 1, &total, &type, MAM_DATA_DISTRIBUTED, MAM_DATA_CONSTANT);
    expect(data == block + 1 && total == 7 && type == MPI_DOUBLE, "what was put in its place");
    MAM_Data_get_pointer(&data, 0, NULL, NULL, MAM_DATA_REPLICATED, MAM_DATA_VARIABLE);
    expect(data == &more, "replicated");
    MAM_Data_get_entries(MAM_DATA_DISTRIBUTED, MAM_DATA_CONSTANT, &entries);
    expect(entries == 2, "two entries");
    MAM_Data_get_entries(MAM_DATA_DISTRIBUTED, MAM_DATA_VARIABLE, &entries);
    expect(entries == 0, "no entries");
}

/* Some functions have several forms. This uses each form. */
static void test_states(void) {
    mam_user_reconf_t user;
    double times[6] = {-1, -1, -1, -1, -1, -1};
    int state = MAM_PENDING;
    expect(MAM_Set_target_number(0) == MAM_DENIED, "no target");
    expect(MAM_Set_target_number(7) == 7, "a target");
    expect(MAM_Checkpoint(&state, MAM_WAIT_COMPLETION) == MAM_DENIED && state == MAM_NOT_STARTED,
           "denied");
    expect(MAM_Checkpoint(&state, MAM_CHECK_COMPLETION, NULL, NULL) == MAM_OK &&
               state == MAM_NOT_STARTED,
           "nothing more to do");
    MAM_Retrieve_times(&times[0], &times[1], &times[2], &times[3]);
    expect(times[0] == 0 && times[1] == 0 && times[2] == 0 && times[3] == 0, "four times");
    MAM_Retrieve_times(&times[1], &times[2], &times[3], &times[4], &times[5]);
    expect(times[4] == 0 && times[5] == 0, "five times");
    times[0] = -1;
    MAM_Retrieve_times(&times[0], NULL, NULL, NULL, NULL, NULL);
    expect(times[0] == 0, "six times");
    expect(MAM_Get_Reconf_Info(&user) == MAM_DENIED, "no redistribution of the user's");
}

int main(int argc, char** argv) {
    MPI_Comm comm = MPI_COMM_NULL;
    int state = -1, level = -1, same = MPI_UNEQUAL, sum = 0, rank = -1;
    MPI_Init(&argc, &argv);
    MPI_Query_thread(&level);
    expect(level == MPI_THREAD_MULTIPLE, "the thread level");
    expect(MAM_Checkpoint(&state, MAM_CHECK_COMPLETION) == MAM_DENIED && state == MAM_UNRESERVED,
           "before MAM_Init");
    expect(MAM_Init(&comm) == MAM_SOURCES, "init by one argument");
    MPI_Comm_compare(comm, MPI_COMM_WORLD, &same);
    expect(same == MPI_CONGRUENT, "the communicator");
    test_settings();
    test_data();
    test_states();
    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&comm);
    expect(MAM_Finalize() == 0, "finalize");
    MAM_Checkpoint(&state, MAM_CHECK_COMPLETION);
    expect(state == MAM_UNRESERVED, "after MAM_Finalize");
    if (rank == 0) printf("%d failures\n", sum);
    MPI_Finalize();
    return sum == 0 && failures == 0 ? 0 : 1;
}
