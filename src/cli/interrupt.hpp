// Ctrl-C and its like, as a descriptor that commands can be cancelled on.
#pragma once

#include <array>
#include <csignal>
#include <map>

namespace ductile::cli {

/// While it lives SIGINT, SIGTERM and SIGHUP make fd() readable. One at a time in a process.
class Interrupt {
  public:
    /// Throws SystemError when there are no descriptors left.
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    [[nodiscard]] int fd() const { return pipe_[0]; }
    /// The signal that came; 0: none.
    [[nodiscard]] static int signal();
    /// Sleeps so long; throws Interrupted when a signal has come or comes.
    void sleep(double seconds) const;

  private:
    std::array<int, 2> pipe_{-1, -1};
    std::map<int, struct sigaction> before_;
};

struct Interrupted {
    int signal;
};

}  // namespace ductile::cli
