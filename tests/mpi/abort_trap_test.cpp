// MPI aborts on a guarded thread, and the process can still use MPI.
#include "mpi/abort_trap.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <string_view>
#include <thread>

#include "mpi/comm.hpp"

namespace {

using namespace ductile;

void abort_on_a_guarded_thread() {
    std::promise<void> told;
    std::thread([&told] {
        mpi::AbortTrap::guard_this_thread([&told] { told.set_value(); });
        MPI_Abort(MPI_COMM_SELF, 3);
    }).detach();
    if (told.get_future().wait_for(std::chrono::seconds(20)) != std::future_status::ready) {
        std::puts("the abort was not trapped");
        std::exit(EXIT_FAILURE);
    }
    const auto copy = mpi::duplicate(MPI_COMM_WORLD);
    MPI_Barrier(copy.get());
}

bool is_mpich() {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(version, &length);
    return std::string_view(version).starts_with("MPICH");
}

}  // namespace

int main() {
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
    if (!is_mpich()) {  // others end a process without abort()
        MPI_Finalize();
        return 77;
    }
    {
        mpi::AbortTrap trap;
        abort_on_a_guarded_thread();
        trap.keep();
    }
    abort_on_a_guarded_thread();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
