/* Opens two ports, as for two resizes: each resize gets a new port, and no port is ever closed. */
#include "probe.h"

int main(int argc, char** argv) {
    char first[MPI_MAX_PORT_NAME] = "", second[MPI_MAX_PORT_NAME] = "";
    begin(&argc, &argv);
    check(MPI_Open_port(MPI_INFO_NULL, first), "MPI_Open_port");
    check(MPI_Open_port(MPI_INFO_NULL, second), "the second MPI_Open_port");
    if (strcmp(first, second) == 0) fail("MPI_Open_port gives the same name twice");
    fact("port", "%s", first);
    MPI_Finalize();
    pass();
    return 0;
}
