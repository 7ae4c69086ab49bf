// Fatal errors that end one process, and not all processes connected with it.
#pragma once

#include <sys/resource.h>

#include "mpi/control_variable.hpp"

namespace ductile::mpi {

/// While a DiesAlone lives, a fatal error of MPICH ends only this process, by SIGABRT and without a
/// core file. Otherwise MPICH (5.0.2) sends a message to all other processes of the communicator.
/// They then exit without any output, whatever their error handlers are. So a newcomer that fails
/// in its join would end the running program. Under an MPI without the control variable it only
/// turns core files off.
class DiesAlone {
  public:
    DiesAlone();
    ~DiesAlone();
    DiesAlone(const DiesAlone&) = delete;
    DiesAlone& operator=(const DiesAlone&) = delete;

  private:
    ControlVariable variable_{"MPIR_CVAR_COREDUMP_ON_ABORT", 1};
    rlimit core_before_{};
};

}  // namespace ductile::mpi
