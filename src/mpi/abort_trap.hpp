// Errors that MPICH takes for fatal, on a thread of ours.
#pragma once

#include <functional>

namespace ductile::mpi {

/// While it lives, an error that MPICH takes for fatal on a guarded thread does not end the
/// process: the thread tells so and sleeps for ever inside of MPICH, which other threads may go on
/// using. MPICH (5.0.2) gives no error code there, whatever the error handlers are, but calls
/// abort(), which a handler of SIGABRT that does not return may prevent (POSIX.1-2017, abort).
/// Any other abort, of any thread, takes its usual course, though MPI_Abort ends the process by
/// SIGABRT, not with its code. Several at a time are one. Without effect on an MPI that has no such
/// variable (see ControlVariable).
class AbortTrap {
  public:
    static constexpr auto what_happened =
        "MPI met an error that it takes for fatal (it says \"Abort\", which was prevented)";

    AbortTrap();
    ~AbortTrap();
    AbortTrap(const AbortTrap&) = delete;
    AbortTrap& operator=(const AbortTrap&) = delete;

    /// Guards the calling thread from now on. `on_abort` is called by it before it goes to sleep.
    static void guard_this_thread(std::function<void()> on_abort);
    /// Leaves things as they are for good: a thread of ours may be in MPI for ever.
    void keep() { keep_ = true; }

  private:
    bool keep_ = false;
};

}  // namespace ductile::mpi
