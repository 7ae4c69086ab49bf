// Moves the parts of distributed arrays from the sources to the targets of a resize. A Mover moves
// the bytes; redistribution.cpp chooses it.
#pragma once

#include <memory>

#include "data/mover.hpp"
#include "plan/methods.hpp"

namespace ductile::data {

/// One redistribution: start(), then test() as often as needed, then finish() or abandon().
///
/// Collective over the communicator, which holds sources and targets. All ranks use the same
/// executor. Old parts are only read. The new parts are valid after finish(). Each call counts its
/// steps as progress. A call that throws (MpiError, or Abandoned if nobody waits for the result)
/// has abandoned the redistribution.
class Redistribution {
  public:
    Redistribution(std::shared_ptr<Mover> mover, Progress& progress)
        : mover_(std::move(mover)), progress_(progress) {}
    ~Redistribution() { abandon(); }
    Redistribution(const Redistribution&) = delete;
    Redistribution& operator=(const Redistribution&) = delete;

    /// Starts to move. Waits for no other rank.
    void start();
    /// Continues as far as it can without waiting. True: this rank's part is done. With rma-lock
    /// and rma-lockall it makes collective calls when all ranks have started. In these calls it
    /// waits until the other ranks also call test() or finish().
    bool test();
    /// Sleeps until this rank's part is done.
    Moved finish();
    /// Gives the redistribution up, because nobody waits for it any more. Memory that MPI may still
    /// read or write lives until the process ends.
    void abandon() noexcept;

  private:
    enum class Phase { made, moving, over };

    template <class Work>
    auto or_abandon(Work work);

    std::shared_ptr<Mover> mover_;
    Progress& progress_;
    Phase phase_ = Phase::made;
};

/// `comm` and `progress` must outlive the redistribution. Precondition: the executor is one of
/// plan::all_executors.
Redistribution make_redistribution(plan::Executor executor, const mpi::Comm& comm,
                                   Movement movement, Progress& progress);

/// Moves all data: first the lengths of elements that differ in length, and then their values, for
/// which it allocates memory. With `verify` the sources compute sums of what they give, and the
/// targets of what they receive. If the sums differ, throws SystemError that names the first
/// difference on this rank. Parts that MPI cannot access (ArrayMemory) move through ordinary
/// memory. With tight memory (data/tight_move.hpp) old parts are invalid afterwards, also after a
/// failure.
Moved redistribute(plan::Executor executor, const mpi::Comm& comm, const Movement& movement,
                   Progress& progress);

}  // namespace ductile::data
