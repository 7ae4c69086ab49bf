#include "common/running_command.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "ductile/error.hpp"

namespace ductile::bench {

RunningCommand::RunningCommand(rms::Command command)
    : cancel_(::eventfd(0, EFD_CLOEXEC)), command_(std::move(command)) {
    if (cancel_ < 0) throw SystemError("cannot make an eventfd");
    command_.cancel_on = {cancel_};
    run_ = std::async(std::launch::async, [this] { return rms::run_command(command_); });
}

RunningCommand::~RunningCommand() {
    cancel();
    if (run_.valid()) run_.wait();
    ::close(cancel_);
}

bool RunningCommand::ended(std::chrono::milliseconds within) const {
    return run_.wait_for(within) == std::future_status::ready;
}

void RunningCommand::cancel() {
    ::eventfd_write(cancel_, 1);
}

}  // namespace ductile::bench
