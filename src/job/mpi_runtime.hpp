// MPI_Init and MPI_Finalize. If the library initialises MPI, the library finalises it.
#pragma once

#include "core/ids.hpp"

namespace ductile {

class MpiRuntime {
  public:
    /// Initialises MPI with MPI_THREAD_MULTIPLE, or uses an initialised MPI. Throws UsageError if
    /// the level is lower.
    void start(int& argc, char**& argv);
    /// Finalises MPI if start() initialised it.
    void stop();
    /// For cases in which MPI_Finalize would abort: the process ends soon. All ranks of the
    /// MPI_COMM_WORLD must do so: a rank that calls MPI_Finalize would wait for the others.
    void stop_without_finalising() { ours_ = false; }

    /// Whether the ranks of a job can call MPI_Finalize (mpi::Capabilities).
    [[nodiscard]] static bool finalises();
    /// Throws SystemError if worlds of this MPI cannot connect by a port (mpi::Capabilities).
    static void expect_ports();

  private:
    bool ours_ = false;
};

/// The rank of this process in its MPI_COMM_WORLD, before MPI runs. Read from the environment that
/// the launcher sets. Throws SystemError if no known variable is set.
core::Rank rank_in_group();

}  // namespace ductile
