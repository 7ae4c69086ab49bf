#include "mpi/device_memory.hpp"

#include <dlfcn.h>
#include <mpi.h>

namespace ductile::mpi {

namespace {

// The library of a job may be another one than that of the build, and may lack these calls.
template <class Call>
Call find(const char* name) {
    return reinterpret_cast<Call>(::dlsym(RTLD_DEFAULT, name));
}

// The number of a kind of device in MPIX_GPU_query_support, for MPICH and the MPIs that derive from
// it.
int number_of(Device device) {
    switch (device) {
        case Device::level_zero:
            return 1;
        case Device::hip:
            return 2;
        case Device::cuda:
        case Device::none:
            break;
    }
    return 0;
}

// Open MPI has one call for each kind of device.
const char* call_of(Device device) {
    switch (device) {
        case Device::level_zero:
            return "MPIX_Query_ze_support";
        case Device::hip:
            return "MPIX_Query_rocm_support";
        case Device::cuda:
        case Device::none:
            break;
    }
    return "MPIX_Query_cuda_support";
}

}  // namespace

bool can_access(Device device) {
    if (device == Device::none) return false;
    if (const auto ask = find<int (*)(int, int*)>("MPIX_GPU_query_support")) {
        int is_supported = 0;
        return ask(number_of(device), &is_supported) == MPI_SUCCESS && is_supported != 0;
    }
    const auto ask = find<int (*)()>(call_of(device));
    return ask != nullptr && ask() == 1;
}

}  // namespace ductile::mpi
