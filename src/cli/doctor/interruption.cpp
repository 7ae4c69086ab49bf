#include "cli/doctor/interruption.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <system_error>

#include "os/signals.hpp"

namespace ductile::cli {
namespace {

constexpr std::array<int, 3> interrupting = {SIGINT, SIGTERM, SIGHUP};

}  // namespace

Interruption::Interruption() {
    sigemptyset(&heard_);
    for (const int number : os::not_ignored(interrupting)) sigaddset(&heard_, number);
    descriptor_ = signalfd(-1, &heard_, SFD_CLOEXEC | SFD_NONBLOCK);
    if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
    pthread_sigmask(SIG_BLOCK, &heard_, &before_);
}

Interruption::~Interruption() {
    // Take the pending signals here. Otherwise they end the process when they are unblocked.
    const timespec now{};
    while (sigtimedwait(&heard_, nullptr, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    close(descriptor_);
}

int Interruption::signal() const {
    sigset_t pending;
    sigpending(&pending);
    for (const int number : interrupting)
        if (sigismember(&heard_, number) == 1 && sigismember(&pending, number) == 1) return number;
    return 0;
}

}  // namespace ductile::cli
