// Run by with_ranks: the numbers of ports. MPICH distinguishes connections by these numbers.
#include <cstdio>
#include <cstdlib>

#include "mpi/comm.hpp"

namespace {

using ductile::mpi::open_port;
using ductile::mpi::port_number;

bool failed = false;

void expect(bool holds, const char* what) {
    if (holds) return;
    std::printf("not so: %s\n", what);
    failed = true;
}

}  // namespace

int main() {
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
    char first[MPI_MAX_PORT_NAME];
    MPI_Open_port(MPI_INFO_NULL, first);
    expect(port_number(first) == 0, "ports are numbered from 0");
    expect(port_number(open_port(0)) == 1, "the next is number 1");
    expect(port_number(open_port(5)) == 5, "those below 5 are left unused");
    MPI_Close_port(first);
    expect(port_number(open_port(5)) == 6, "the closed port's number, 0, is below 5");
    expect(!port_number("3541.0;tcp://10.0.0.1:1"), "a port without a number");
    MPI_Finalize();
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
