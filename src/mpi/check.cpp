#include "mpi/check.hpp"

#include <string>

namespace ductile::mpi {

void raise(int code, const char* call) {
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    int error_class = MPI_ERR_UNKNOWN;
    MPI_Error_string(code, text, &length);
    MPI_Error_class(code, &error_class);
    throw MpiError(
        std::string(call) + " failed: " + std::string(text, static_cast<std::size_t>(length)), call,
        code, error_class);
}

bool is_running() {
    int initialised = 0;
    int finalised = 0;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    return initialised != 0 && finalised == 0;
}

}  // namespace ductile::mpi
