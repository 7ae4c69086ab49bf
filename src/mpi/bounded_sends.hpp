// Sends that give up where a peer cannot be reached.
#pragma once

#include <atomic>

namespace ductile::mpi {

/// The least bound of those that live, in any thread, holds.
///
/// While it lives, and until lift(), a send of this process that the network does not take for long
/// fails. MPICH repeats it for ever otherwise, with its lock held, so that no thread of the process
/// gets into MPI again: to a process that died, or stopped, before it was first spoken to
/// (docs/decisions/0003). For the time of a join only: in a program's own traffic a receiver may
/// well be busy for so long. Without effect with a provider other than those over TCP, where a try
/// takes another time.
class BoundedSends {
  public:
    /// Measured: 3 to 4 s where the peer's port is closed, half a second where it does not answer.
    static constexpr int tries_of_a_join = 40'000;
    /// While the program moves its own data, where a receiver may be at work for a moment.
    static constexpr int tries_of_a_program = 100'000;
    /// Of one word over a connection that stands.
    static constexpr int tries_of_a_word = 4'000;

    explicit BoundedSends(int most_tries = tries_of_a_join);

    /// From any thread; a second time does nothing.
    void lift();
    ~BoundedSends() { lift(); }
    BoundedSends(const BoundedSends&) = delete;
    BoundedSends& operator=(const BoundedSends&) = delete;

  private:
    int most_tries_;
    std::atomic<bool> lifted_ = false;
};

}  // namespace ductile::mpi
