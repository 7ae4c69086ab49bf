/* DMR's macros in an ordinary MPI program without resizes: forms, variables, limits. With the back
 * end `mam`; dmrlib_from_c.c is the same with `dmrlib`. */
#include <ductile/compat/dmr.h>

static int failures = 0, initialised = 0, redistributed = 0, finalised = 0;

static void expect(int holds, const char* what) {
    if (holds) return;
    ++failures;
    printf("FAILED: %s\n", what);
}

static void initialise(int by, int how_much) {
    initialised += by * how_much;
}

static void test_variables(void) {
    int rank = -1, size = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    expect(DMR_comm_rank == rank && DMR_comm_size == size, "rank and size");
    expect(DMR_comm_prev_size == 0 && DMR_action == 0 && DMR_it == 0, "nothing has happened");
    expect(DMR_INTERCOMM == MPI_COMM_NULL, "there is nobody else");
    MPI_Comm_size(DMR_COMM, &rank);
    expect(rank == size, "the communicator");
}

static void test_limits(void) {
    DMR_Set_parameters(1, 8);
    expect(DMR_min == 1 && DMR_max == 8 && DMR_pref == 0, "two limits");
    DMR_Set_parameters(2, 16, 4);
    expect(DMR_min == 2 && DMR_max == 16 && DMR_pref == 4, "three limits");
    DMR_Set_parameters(2, 16, 4, 2);
    expect(DMR_max == 16, "four limits");
    DMR_Inhibit_iter(2);
    DMR_Inhibit_time(0.5);
}

static void test_checks(void) {
    MPI_Comm intercomm = MPI_COMM_SELF;
    for (DMR_it = 0; DMR_it < 5; ++DMR_it) {
        DMR_RECONFIGURATION(++redistributed);
        DMR_RECONFIGURATION(++redistributed, ++redistributed);
        DMR_RECONFIGURE(++redistributed)
        expect(DMR_Reconfiguration(NULL, &intercomm, 1, 4, 0, 2) == 0, "no action");
    }
    expect(intercomm == MPI_COMM_NULL, "no intercommunicator");
    expect(DMR_min == 1 && DMR_max == 4 && DMR_pref == 2, "limits of DMR_Reconfiguration");
    expect(redistributed == 0, "nothing is redistributed");
}

static void test_parts(void) {
    DMR_Set_basic_data(++redistributed, 7, "not used");
    DMR_Retrieve_data(++redistributed);
    expect(redistributed == 2, "the parts run what they are given");
    DMR_Wait_stabilization(1, 2);
    DMR_Detach(&DMR_INTERCOMM);
}

int main(int argc, char** argv) {
    int sum = 0, rank = -1;
    MPI_Init(&argc, &argv);
    DMR_INIT(initialise(2, 3), ++redistributed);
    expect(initialised == 6, "the first process initialises");
    test_variables();
    test_limits();
    test_checks();
    test_parts();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#ifdef DUCTILE_DMR_DMRLIB
    MPI_Comm_get_parent(&DMR_COMM);
    expect(DMR_COMM == MPI_COMM_NULL, "no parent");
#else
    expect(MaM_is_children == MAM_SOURCES && MaM_state == MAM_NOT_STARTED, "MaM's variables");
#endif
    DMR_FINALIZE(++finalised);
    expect(finalised == 1, "what is to be finalised");
    MPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%d failures\n", sum);
    DMR_INIT(initialise(1, 1), , )
    expect(initialised == 7, "it can begin again");
    DMR_FINALIZE()
    MPI_Finalize();
    return sum == 0 && failures == 0 ? 0 : 1;
}
