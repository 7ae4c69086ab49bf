// Fatal errors of MPICH on a thread of Ductile.
#pragma once

#include <functional>

namespace ductile::mpi {

/// While an AbortTrap lives, a fatal error of MPICH on a guarded thread does not end the process.
/// Instead, the thread calls its `on_abort` and sleeps for ever inside MPICH. Other threads may
/// continue to use MPICH. For such an error MPICH (5.0.2) returns no error code, whatever the error
/// handlers are. It calls abort(), and a handler of SIGABRT that does not return can prevent the
/// end (POSIX.1-2017, abort).
/// Any other abort, of any thread, ends the process as usual, except that MPI_Abort ends it by
/// SIGABRT, not with its code. Several AbortTraps at a time act as one. An AbortTrap needs the
/// control variable MPIR_CVAR_COREDUMP_ON_ABORT (see ControlVariable).
class AbortTrap {
  public:
    static constexpr auto what_happened =
        "MPI tried to abort because of an error, and Ductile prevented the abort";

    AbortTrap();
    ~AbortTrap();
    AbortTrap(const AbortTrap&) = delete;
    AbortTrap& operator=(const AbortTrap&) = delete;

    /// Guards the calling thread from now on. The thread calls `on_abort` before it goes to sleep.
    static void guard_this_thread(std::function<void()> on_abort);
    /// From now on the effect lasts until the process ends: a thread of Ductile may stay in MPI for
    /// ever.
    void keep() { keep_ = true; }

  private:
    bool keep_ = false;
};

}  // namespace ductile::mpi
