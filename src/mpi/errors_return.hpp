// Errors of MPI calls that name no communicator (MPI_Wait..., MPI_Test...).
#pragma once

#include <mpi.h>

namespace ductile::mpi {

/// While an ErrorsReturn lives, errors of these calls return codes. For such an error MPI calls the
/// error handler of MPI_COMM_SELF (MPI 4.1, section 9.3; of MPI_COMM_WORLD before MPI 4). An
/// ErrorsReturn replaces both handlers, which belong to the program. The destructor restores them.
/// It has no effect if MPI did not run when it was made.
class ErrorsReturn {
  public:
    ErrorsReturn();
    ~ErrorsReturn();
    ErrorsReturn(const ErrorsReturn&) = delete;
    ErrorsReturn& operator=(const ErrorsReturn&) = delete;

    /// From now on the effect lasts until the process ends: a thread of Ductile may stay in MPI for
    /// ever.
    void keep() { keep_ = true; }

  private:
    MPI_Errhandler world_ = MPI_ERRHANDLER_NULL;
    MPI_Errhandler self_ = MPI_ERRHANDLER_NULL;
    bool keep_ = false;
};

}  // namespace ductile::mpi
