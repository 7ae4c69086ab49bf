#include "mpi/wait_asleep.hpp"

#include <chrono>
#include <thread>

#include "mpi/check.hpp"

namespace ductile::mpi {

void wait_asleep(MPI_Request& request, const char* call) {
    constexpr int looks_awake = 20;
    for (int looks = 1;; ++looks) {
        int done = 0;
        check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), call);
        if (done != 0) return;
        if (looks >= looks_awake) std::this_thread::sleep_for(std::chrono::microseconds(30));
    }
}

}  // namespace ductile::mpi
