// MPI_Init and MPI_Finalize: whoever initialises finalises.
#pragma once

#include "core/ids.hpp"

namespace ductile {

class MpiRuntime {
  public:
    /// Initialises MPI with MPI_THREAD_MULTIPLE, or takes an initialised one. Throws UsageError
    /// without that level.
    void start(int& argc, char**& argv);
    /// Finalises MPI if start() initialised it.
    void stop();
    /// Where MPI_Finalize would abort: parts from the launcher without it, if start() initialised
    /// MPI. To be called by all ranks of the MCW, or the others would wait in theirs.
    void stop_without_finalising();

    /// Whether the ranks of a job can call MPI_Finalize (mpi::Capabilities).
    [[nodiscard]] static bool finalises();
    /// Throws SystemError where worlds of this MPI cannot connect by a port (mpi::Capabilities).
    static void expect_ports();

  private:
    bool ours_ = false;
};

/// This process's rank in its MCW before MPI runs, as the launcher says it in the environment.
/// Throws SystemError when no variable that we know says it.
core::Rank rank_in_group();

}  // namespace ductile
