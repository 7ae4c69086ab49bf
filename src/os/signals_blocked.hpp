// Prevents signal handlers in this thread for a while.
#pragma once

#include <pthread.h>

#include <csignal>

namespace ductile::os {

/// Blocks all signals. The destructor restores the signal mask. This is for a child that shares our
/// memory (vfork): our handlers must not run in the child.
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
