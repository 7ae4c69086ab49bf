// No signal handler runs in this thread for a while.
#pragma once

#include <pthread.h>

#include <csignal>

namespace ductile::os {

/// Blocks all signals, and has them as they were at its end. For a child that has our memory
/// (vfork): no handler of ours may run in it.
class SignalsBlocked {
  public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  private:
    sigset_t before_{};
};

}  // namespace ductile::os
