// Waits for Ctrl-C and similar signals by a descriptor, so that the program can clean up before it
// ends.
#pragma once

#include <csignal>

namespace ductile::cli {

/// While it lives, SIGINT, SIGTERM and SIGHUP do not end the process. They make `descriptor`
/// readable, unless they are ignored. Only one may live at a time, and it must be made before any
/// thread starts.
class Interruption {
  public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    /// Stays readable after the first signal.
    [[nodiscard]] int descriptor() const { return descriptor_; }
    /// The signal that has arrived, or 0.
    [[nodiscard]] int signal() const;

  private:
    sigset_t heard_{};
    int descriptor_ = -1;
    sigset_t before_{};
};

}  // namespace ductile::cli
