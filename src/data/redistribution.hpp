// Moves the parts of distributed arrays from the sources to the targets of a resize. How the bytes
// travel is a Mover, which is chosen in redistribution.cpp.
#pragma once

#include <memory>

#include "data/mover.hpp"
#include "plan/methods.hpp"

namespace ductile::data {

/// One redistribution: start(), then test() as often as one likes, then finish() or abandon().
///
/// Collective over the communicator, which holds sources and targets, with the same executor on all
/// ranks. Old parts are only read; the new parts are of use after finish(). Each call counts its
/// steps as progress. A call that throws (MpiError, or Abandoned when nobody waits for the result)
/// has abandoned the redistribution.
class Redistribution {
  public:
    Redistribution(std::shared_ptr<Mover> mover, Progress& progress)
        : mover_(std::move(mover)), progress_(progress) {}
    ~Redistribution() { abandon(); }
    Redistribution(const Redistribution&) = delete;
    Redistribution& operator=(const Redistribution&) = delete;

    /// Begins to move. Waits for no other rank.
    void start();
    /// Gets on as far as it can without waiting (rma-lock and rma-lockall: when all ranks have
    /// started, they meet in collective calls). True: this rank's part is done.
    bool test();
    /// Waits, asleep, until this rank's part is done.
    Moved finish();
    /// Nobody waits any more. Memory that MPI may still read or write lives until the process ends.
    void abandon() noexcept;

  private:
    enum class Phase { made, moving, over };

    template <class Work>
    auto or_abandon(Work work);

    std::shared_ptr<Mover> mover_;
    Progress& progress_;
    Phase phase_ = Phase::made;
};

/// `comm` and `progress` outlive the redistribution. Precondition: the executor is one of
/// plan::all_executors.
Redistribution make_redistribution(plan::Executor executor, const mpi::Comm& comm,
                                   Movement movement, Progress& progress);

/// Moves everything at once: the lengths of elements that differ in length, and then their values,
/// for which it takes memory. With `verify` the sources sum up what they give, and the targets what
/// they have got; throws SystemError that names the first difference on this rank. Parts in memory
/// that is reached by copies alone (ArrayMemory) move by way of ordinary memory. With tight memory
/// (data/tight_move.hpp) old parts are of no use afterwards, nor after a failure.
Moved redistribute(plan::Executor executor, const mpi::Comm& comm, const Movement& movement,
                   Progress& progress);

}  // namespace ductile::data
