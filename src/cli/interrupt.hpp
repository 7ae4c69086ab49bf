// Makes Ctrl-C and similar signals available as a descriptor, which can cancel commands.
#pragma once

#include <csignal>
#include <map>

#include "os/pipe.hpp"

namespace ductile::cli {

/// While it lives, SIGINT, SIGTERM and SIGHUP do not end the process; they make fd() readable. One
/// that was ignored before stays ignored. A process may have only one Interrupt at a time.
class Interrupt {
  public:
    /// Throws SystemError when there are no descriptors left.
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    [[nodiscard]] int fd() const { return pipe_.read.get(); }
    /// The last signal that arrived; 0: none.
    [[nodiscard]] static int signal();
    /// Sleeps for this time. Throws Interrupted if a signal has arrived or arrives meanwhile.
    void sleep(double seconds) const;

  private:
    os::Pipe pipe_ = os::make_pipe("signals");
    std::map<int, struct sigaction> before_;
};

struct Interrupted {
    int signal;
};

}  // namespace ductile::cli
