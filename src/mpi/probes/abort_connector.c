/* A lonely accept: the newcomers' leader has said that it connects, and has died before it did so.
 * An abort connector (a program that was started without the launcher) connects in its place. This
 * ends the accept. ROLE: program | abort_connector. */
#include <pthread.h>

#include "probe.h"

static char port[MPI_MAX_PORT_NAME] = "";
static MPI_Comm connection = MPI_COMM_NULL;
static int accept_code = MPI_SUCCESS;

static void* accept_in_helper(void* argument) {
    accept_code = MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &connection);
    return argument;
}

static void run_program(void) {
    const int rank = rank_in(MPI_COMM_WORLD);
    int abandoned = 0;
    if (rank == 0) {
        pthread_t helper;
        check(MPI_Open_port(MPI_INFO_NULL, port), "MPI_Open_port");
        if (pthread_create(&helper, NULL, accept_in_helper, NULL) != 0) fail("no thread");
        usleep(200000);
        write_file("port", 0, port);
        pthread_join(helper, NULL);
        check(accept_code, "MPI_Comm_accept");
        check(MPI_Recv(&abandoned, 1, MPI_INT, 0, 1, connection, MPI_STATUS_IGNORE), "MPI_Recv");
        if (abandoned != 42) fail("the abort connector says %d", abandoned);
        check(MPI_Comm_disconnect(&connection), "MPI_Comm_disconnect");
    }
    expect_ranks(MPI_COMM_WORLD, 2, "the program after a lonely accept");
    MPI_Finalize();
    if (rank == 0) pass();
}

static void run_abort_connector(void) {
    const int abandoned = 42;
    const double start = now_s();
    check(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &connection), "MPI_Comm_connect");
    check(MPI_Send(&abandoned, 1, MPI_INT, 0, 1, connection), "MPI_Send");
    fact("ended_ms", "%.1f", (now_s() - start) * 1e3);
    check(MPI_Comm_disconnect(&connection), "MPI_Comm_disconnect");
    MPI_Finalize();
}

int main(int argc, char** argv) {
    read_arguments(argc, argv);
    if (has_role("abort_connector")) {
        wait_for_file("port", 0);
        read_file("port", 0, port, sizeof port);
    }
    begin(&argc, &argv);
    if (has_role("abort_connector"))
        run_abort_connector();
    else
        run_program();
    return 0;
}
