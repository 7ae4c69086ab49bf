// Sends that give up if a peer cannot be reached.
#pragma once

#include <atomic>

namespace ductile::mpi {

/// While a BoundedSends lives, until lift(), a send of this process fails if the network has not
/// accepted it after `most_tries` tries. Without a bound MPICH repeats the send for ever and holds
/// its lock, so no other thread of the process can enter MPI. This happens if the peer died or
/// stopped before the first message to it (docs/decisions/0003). Use it only during a resize: at
/// other times a receiver may be busy for longer than the tries take. It has an effect only if
/// FI_PROVIDER names a libfabric provider over TCP: with other providers a try takes a different
/// time. If several objects live, in any threads, the smallest bound holds.
class BoundedSends {
  public:
    /// Measured: a send fails after 3 to 4 s if the peer's port is closed, and after half a second
    /// if the port does not answer.
    static constexpr int tries_of_a_join = 40'000;
    /// For the time in which the program sends: its receivers may be busy for a moment.
    static constexpr int tries_of_a_program = 100'000;
    /// For one word over an open connection.
    static constexpr int tries_of_a_word = 4'000;

    explicit BoundedSends(int most_tries = tries_of_a_join);

    /// Any thread may call it. A second call does nothing.
    void lift();
    ~BoundedSends() { lift(); }
    BoundedSends(const BoundedSends&) = delete;
    BoundedSends& operator=(const BoundedSends&) = delete;

  private:
    int most_tries_;
    std::atomic<bool> lifted_ = false;
};

}  // namespace ductile::mpi
