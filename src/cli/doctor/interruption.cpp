#include "cli/doctor/interruption.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <system_error>

namespace ductile::cli {
namespace {

constexpr std::array<int, 3> interrupting = {SIGINT, SIGTERM, SIGHUP};

sigset_t interrupting_set() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : interrupting) sigaddset(&set, number);
    return set;
}

}  // namespace

Interruption::Interruption() {
    const sigset_t set = interrupting_set();
    descriptor_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
    pthread_sigmask(SIG_BLOCK, &set, &before_);
}

Interruption::~Interruption() {
    // Take the pending signals here. Otherwise they end the process when they are unblocked.
    const sigset_t set = interrupting_set();
    const timespec now{};
    while (sigtimedwait(&set, nullptr, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    close(descriptor_);
}

int Interruption::signal() const {
    sigset_t pending;
    sigpending(&pending);
    for (const int number : interrupting)
        if (sigismember(&pending, number) == 1) return number;
    return 0;
}

}  // namespace ductile::cli
