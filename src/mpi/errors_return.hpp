// Errors of MPI calls that name no communicator (MPI_Wait..., MPI_Test...).
#pragma once

#include <mpi.h>

namespace ductile::mpi {

/// While it lives such errors come back as codes: MPI gives them to the error handler of
/// MPI_COMM_SELF (MPI 4.1, section 9.3; MPI_COMM_WORLD before MPI 4), which is the program's. Its
/// handlers are put back at the end.
class ErrorsReturn {
  public:
    ErrorsReturn();
    ~ErrorsReturn();
    ErrorsReturn(const ErrorsReturn&) = delete;
    ErrorsReturn& operator=(const ErrorsReturn&) = delete;

    /// Leaves things as they are for good: a thread of ours may be in MPI for ever.
    void keep() { keep_ = true; }

  private:
    MPI_Errhandler world_ = MPI_ERRHANDLER_NULL;
    MPI_Errhandler self_ = MPI_ERRHANDLER_NULL;
    bool keep_ = false;
};

}  // namespace ductile::mpi
