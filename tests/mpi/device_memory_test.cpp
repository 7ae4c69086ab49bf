// Run by with_ranks: the MPI itself is asked which devices' memory it can access.
#include "mpi/device_memory.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>

using ductile::Device;

namespace {

int asked = -1;    // the device in the last question
int answered = 0;  // what the MPI itself has answered
bool forced = false;
bool failed = false;

void expect(bool holds, const char* what) {
    if (holds) return;
    std::printf("not so: %s\n", what);
    failed = true;
}

}  // namespace

#ifdef MPIX_GPU_SUPPORT_CUDA
// Replaces the function of the MPI, and calls it.
extern "C" int MPIX_GPU_query_support(int device, int* is_supported) {
    asked = device;
    const int code = PMPIX_GPU_query_support(device, is_supported);
    answered = *is_supported;
    if (forced) *is_supported = 1;
    return code;
}

namespace {

void expect_asked(Device device, int number) {
    asked = -1;
    forced = false;
    const bool can = ductile::mpi::can_access(device);
    expect(asked == number, "it is asked of this device");
    expect(can == (answered != 0), "its answer holds");
    forced = true;
    expect(ductile::mpi::can_access(device), "it holds if it is yes");
}

}  // namespace
#endif

int main() {
    MPI_Init(nullptr, nullptr);
#ifdef MPIX_GPU_SUPPORT_CUDA
    expect_asked(Device::cuda, MPIX_GPU_SUPPORT_CUDA);
    expect_asked(Device::hip, MPIX_GPU_SUPPORT_HIP);
    expect_asked(Device::level_zero, MPIX_GPU_SUPPORT_ZE);
    asked = -1;
#endif
    expect(!ductile::mpi::can_access(Device::none) && asked == -1, "no device: nothing is asked");
    MPI_Finalize();
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
