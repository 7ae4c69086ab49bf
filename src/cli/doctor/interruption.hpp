// Ctrl-C and its like as something to wait for, so that what was begun can be cleared up first.
#pragma once

#include <csignal>

namespace ductile::cli {

/// While it lives, SIGINT, SIGTERM and SIGHUP do not end the process but make `descriptor`
/// readable. One at a time, made before any thread is.
class Interruption {
  public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    /// Stays readable once a signal has come.
    [[nodiscard]] int descriptor() const { return descriptor_; }
    /// The signal that has come, or 0.
    [[nodiscard]] int signal() const;

  private:
    int descriptor_ = -1;
    sigset_t before_{};
};

}  // namespace ductile::cli
