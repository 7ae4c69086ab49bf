#include "mpi/check.hpp"

#include <array>
#include <string>

namespace ductile::mpi {

namespace {

// MPICH (seen in 4.3.2) writes past MPI_MAX_ERROR_STRING if the error has passed through many
// calls.
constexpr std::size_t room_for_text = 16 * MPI_MAX_ERROR_STRING;

}  // namespace

void raise(int code, const char* call) {
    std::array<char, room_for_text> text{};
    int length = 0;
    int error_class = MPI_ERR_UNKNOWN;
    MPI_Error_string(code, text.data(), &length);
    MPI_Error_class(code, &error_class);
    throw MpiError(std::string(call) +
                       " failed: " + std::string(text.data(), static_cast<std::size_t>(length)),
                   call, code, error_class);
}

bool is_running() {
    int initialised = 0;
    int finalised = 0;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    return initialised != 0 && finalised == 0;
}

}  // namespace ductile::mpi
