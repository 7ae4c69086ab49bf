#include "cli/interrupt.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "ductile/error.hpp"

namespace ductile::cli {

namespace {

std::atomic<int> seen{0};
std::atomic<int> write_end{-1};

void on_signal(int signal) {
    const int saved = errno;
    seen = signal;
    const char byte = 0;
    [[maybe_unused]] const auto written = ::write(write_end, &byte, 1);
    errno = saved;
}

}  // namespace

Interrupt::Interrupt() {
    if (::pipe2(pipe_.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        throw SystemError("cannot make a pipe for signals (too many open files)");
    write_end = pipe_[1];
    struct sigaction action {};
    action.sa_handler = on_signal;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        ::sigaction(signal, &action, &before_[signal]);
}

Interrupt::~Interrupt() {
    for (const auto& [signal, action] : before_) ::sigaction(signal, &action, nullptr);
    write_end = -1;
    for (const int fd : pipe_) ::close(fd);
}

int Interrupt::signal() {
    return seen;
}

void Interrupt::sleep(double seconds) const {
    pollfd waited{pipe_[0], POLLIN, 0};
    ::poll(&waited, 1, static_cast<int>(seconds * 1e3));
    if (signal() != 0) throw Interrupted{signal()};
}

}  // namespace ductile::cli
