#include "mpi/control_variable.hpp"

namespace ductile::mpi {

ControlVariable::ControlVariable(const char* name, int value) {
    int level = 0, index = 0, count = 0;
    static const bool has_tools = MPI_T_init_thread(MPI_THREAD_MULTIPLE, &level) == MPI_SUCCESS;
    if (!has_tools || MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, nullptr, &handle_, &count) != MPI_SUCCESS)
        return;
    if (count != 1 || MPI_T_cvar_read(handle_, &before_) != MPI_SUCCESS ||
        MPI_T_cvar_write(handle_, &value) != MPI_SUCCESS)
        MPI_T_cvar_handle_free(&handle_);
}

void ControlVariable::put_back() {
    const std::lock_guard lock(mutex_);
    if (handle_ == MPI_T_CVAR_HANDLE_NULL) return;
    MPI_T_cvar_write(handle_, &before_);
    MPI_T_cvar_handle_free(&handle_);
}

}  // namespace ductile::mpi
