// Fatal errors that end one process, not all that it is connected with.
#pragma once

#include <sys/resource.h>

#include "mpi/control_variable.hpp"

namespace ductile::mpi {

/// While it lives, an error that MPICH takes for fatal ends this process only, by SIGABRT and
/// without a core file. Otherwise MPICH (5.0.2) sends all other processes of the communicator a
/// message on which they exit, without a word and whatever their error handlers say: a newcomer in
/// its join would take the running program with it. Also without effect where ControlVariable is.
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
