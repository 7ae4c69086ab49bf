// Sets a control variable of the MPI library for a while (MPI 4.1, section 15.3).
#pragma once

#include <mpi.h>

#include <mutex>

namespace ductile::mpi {

/// Sets an integer variable while this object lives, or until put_back(). It has no effect on an
/// MPI that has no such variable or does not let it be set.
class ControlVariable {
  public:
    ControlVariable() = default;
    ControlVariable(const char* name, int value);
    ~ControlVariable() { put_back(); }
    ControlVariable(const ControlVariable&) = delete;
    ControlVariable& operator=(const ControlVariable&) = delete;

    /// Any thread may call it. A second call does nothing.
    void put_back();

  private:
    std::mutex mutex_;
    MPI_T_cvar_handle handle_ = MPI_T_CVAR_HANDLE_NULL;
    int before_ = 0;
};

}  // namespace ductile::mpi
