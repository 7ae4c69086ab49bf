/* Process groups as a C program uses them. */
#include <ductile/process_group.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect(int holds, const char* what) {
    if (holds) return;
    ++failures;
    printf("FAILED: %s (%s)\n", what, ductile_error());
}

static void use(const ductile_group* group) {
    const int size = ductile_group_size(group), rank = ductile_group_rank(group);
    ductile_group_request* request = NULL;
    int one = 1, sum = 0, value = rank, complete = 0;
    expect(ductile_group_barrier(group) == DUCTILE_SUCCESS, "barrier");
    expect(ductile_group_allreduce(group, &one, &sum, 1, MPI_INT, MPI_SUM) == DUCTILE_SUCCESS &&
               sum == size,
           "allreduce");
    sum = 0;
    expect(
        ductile_group_reduce(group, &one, &sum, 1, MPI_INT, MPI_SUM, size - 1) == DUCTILE_SUCCESS &&
            (rank != size - 1 || sum == size),
        "reduce");
    expect(ductile_group_broadcast(group, &value, 1, MPI_INT, size - 1) == DUCTILE_SUCCESS &&
               value == size - 1,
           "broadcast");
    value = rank + 10;
    expect(
        ductile_group_share(group, rank == 0, &value, 1, MPI_INT) == DUCTILE_SUCCESS && value == 10,
        "share");
    expect(ductile_group_start_allreduce(group, &one, &sum, 1, MPI_INT, MPI_SUM, &request) ==
               DUCTILE_SUCCESS,
           "start");
    while (ductile_group_test(&request, &complete) == DUCTILE_SUCCESS && !complete) continue;
    expect(request == NULL && sum == size, "test");
    expect(ductile_group_start_barrier(group, &request) == DUCTILE_SUCCESS &&
               ductile_group_wait(&request) == DUCTILE_SUCCESS && request == NULL,
           "wait");
    if (size > 1 && rank < 2) {
        value = 7 + rank;
        if (rank == 0)
            expect(ductile_group_send(group, &value, 1, MPI_INT, 1, 3) == DUCTILE_SUCCESS, "send");
        else
            expect(ductile_group_receive(group, &value, 1, MPI_INT, 0, 3) == DUCTILE_SUCCESS &&
                       value == 7,
                   "receive");
    }
}

int main(int argc, char** argv) {
    int provided = 0, rank = 0, sum = 0;
    const ductile_group_options hash = {DUCTILE_GROUP_SHRINK_AND_HASH, DUCTILE_FILLER_AUTOMATIC, 2,
                                        0, 0};
    const ductile_group_options wrong = {DUCTILE_GROUP_AUTOMATIC, DUCTILE_FILLER_AUTOMATIC, 1, 0,
                                         0};
    ductile_group *all = NULL, *some = NULL, *none = NULL;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    expect(ductile_group_of_comm(MPI_COMM_WORLD, NULL, &all) == DUCTILE_SUCCESS, "of_comm");
    use(all);
    expect(ductile_group_split(all, rank == 0 ? MPI_UNDEFINED : rank % 2, &hash, &some) ==
               DUCTILE_SUCCESS,
           "split");
    expect(ductile_group_member(some) == (rank != 0), "member");
    if (rank != 0)
        use(some);
    else
        expect(ductile_group_barrier(some) == DUCTILE_ERR_USAGE &&
                   strstr(ductile_error(), "no member") != NULL,
               "a stranger's barrier");
    none = some;
    expect(ductile_group_split(all, 0, &wrong, &none) == DUCTILE_ERR_INPUT && none == NULL,
           "branching 1");
    expect(ductile_group_broadcast(all, &rank, -1, MPI_INT, 0) == DUCTILE_ERR_INPUT,
           "a negative count");
    expect(ductile_group_barrier(NULL) == DUCTILE_ERR_USAGE, "NULL");
    expect(strcmp(ductile_code_meaning(DUCTILE_ERR_INPUT), "a value is out of its bounds") == 0,
           "meaning");
    expect(ductile_group_free(&some) == DUCTILE_SUCCESS && some == NULL, "free");
    expect(ductile_group_free(&all) == DUCTILE_SUCCESS, "free");
    MPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%d failures\n", sum);
    MPI_Finalize();
    return sum == 0 ? 0 : 1;
}
