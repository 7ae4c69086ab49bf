#include "job/mpi_runtime.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "ductile/error.hpp"
#include "mpi/capabilities.hpp"
#include "mpi/check.hpp"

namespace ductile {

void MpiRuntime::start(int& argc, char**& argv) {
    int initialised = 0;
    int level = MPI_THREAD_SINGLE;
    MPI_Initialized(&initialised);
    if (initialised != 0) {
        mpi::check(MPI_Query_thread(&level), "MPI_Query_thread");
    } else {
        mpi::check(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level), "MPI_Init_thread");
        ours_ = true;
    }
    if (level < MPI_THREAD_MULTIPLE)
        throw UsageError(
            initialised != 0
                ? "MPI was initialised without MPI_THREAD_MULTIPLE; make the Job first, or call "
                  "MPI_Init_thread(MPI_THREAD_MULTIPLE)"
                : "this MPI does not offer MPI_THREAD_MULTIPLE; run `ductile doctor`");
}

void MpiRuntime::stop() {
    if (ours_ && mpi::is_running()) MPI_Finalize();
    ours_ = false;
}

namespace {

std::optional<mpi::Capabilities> running_mpi() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    if (!mpi::is_running() || MPI_Get_library_version(text, &length) != MPI_SUCCESS)
        return std::nullopt;
    return mpi::known_capabilities({text, static_cast<std::size_t>(length)});
}

}  // namespace

bool MpiRuntime::finalises() {
    const auto mpi = running_mpi();
    return !mpi || mpi->finalises;
}

void MpiRuntime::expect_ports() {
    const auto mpi = running_mpi();
    if (mpi && (!mpi->open_port || !mpi->independent_connect))
        throw SystemError("worlds of " + mpi->implementation + " " + mpi->version +
                          " cannot connect by a port (MPI_Comm_connect)");
}

core::Rank rank_in_group() {
    for (const char* name : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"}) {
        const char* value = std::getenv(name);
        int rank = -1;
        if (value != nullptr &&
            std::from_chars(value, value + std::strlen(value), rank).ec == std::errc() && rank >= 0)
            return core::Rank{rank};
    }
    throw SystemError(
        "this process was started by Ductile, but its environment does not tell its rank "
        "(PMI_RANK, PMIX_RANK or OMPI_COMM_WORLD_RANK)");
}

}  // namespace ductile
