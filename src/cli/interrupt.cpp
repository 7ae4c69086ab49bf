#include "cli/interrupt.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

#include "ductile/error.hpp"
#include "os/descriptors.hpp"
#include "os/signals.hpp"

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
    for (const auto* end : {&pipe_.read, &pipe_.write}) os::never_block(*end);
    write_end = pipe_.write.get();
    struct sigaction action {};
    action.sa_handler = on_signal;
    for (const int signal : os::not_ignored(std::array{SIGINT, SIGTERM, SIGHUP}))
        ::sigaction(signal, &action, &before_[signal]);
}

Interrupt::~Interrupt() {
    for (const auto& [signal, action] : before_) ::sigaction(signal, &action, nullptr);
    write_end = -1;
}

int Interrupt::signal() {
    return seen;
}

void Interrupt::sleep(double seconds) const {
    pollfd waited{pipe_.read.get(), POLLIN, 0};
    ::poll(&waited, 1, static_cast<int>(seconds * 1e3));
    if (signal() != 0) throw Interrupted{signal()};
}

}  // namespace ductile::cli
