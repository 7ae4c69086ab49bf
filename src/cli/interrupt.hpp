// Ctrl-C and its like, as a descriptor that commands can be cancelled on.
#pragma once

#include <csignal>
#include <map>

#include "os/pipe.hpp"

namespace ductile::cli {

/// While it lives SIGINT, SIGTERM and SIGHUP make fd() readable. One at a time in a process.
class Interrupt {
  public:
    /// Throws SystemError when there are no descriptors left.
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    [[nodiscard]] int fd() const { return pipe_.read.get(); }
    /// The signal that came; 0: none.
    [[nodiscard]] static int signal();
    /// Sleeps so long; throws Interrupted when a signal has come or comes.
    void sleep(double seconds) const;

  private:
    os::Pipe pipe_ = os::make_pipe("signals");
    std::map<int, struct sigaction> before_;
};

struct Interrupted {
    int signal;
};

}  // namespace ductile::cli
