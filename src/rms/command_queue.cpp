#include "rms/command_queue.hpp"

#include <iterator>
#include <utility>

namespace ductile::rms {

void CommandQueue::run(CommandRunner::Command command, CommandRunner::OnEnd on_end) {
    waiting_.push_back({std::move(command), std::move(on_end), nullptr});
    start_next();
}

void CommandQueue::start_next() {
    while (running_.size() < at_a_time_ && !waiting_.empty()) {
        running_.splice(running_.end(), waiting_, waiting_.begin());
        const auto job = std::prev(running_.end());
        job->runner = std::make_unique<CommandRunner>(
            io_, job->command, [this, job](const CommandResult& result) { ended(job, result); });
    }
}

void CommandQueue::ended(std::list<Job>::iterator job, const CommandResult& result) {
    const auto tell = std::move(job->on_end);
    running_.erase(job);
    start_next();
    tell(result);
}

}  // namespace ductile::rms
