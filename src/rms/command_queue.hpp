// Runs commands beside the event loop. Only a few run at the same time, the others wait.
#pragma once

#include <asio/io_context.hpp>
#include <cstddef>
#include <list>
#include <memory>

#include "rms/command_runner.hpp"

namespace ductile::rms {

class CommandQueue {
  public:
    CommandQueue(asio::io_context& io, std::size_t at_a_time) : io_(io), at_a_time_(at_a_time) {}
    // The destructor kills the running commands, and does not call any `on_end`.

    /// Queues a command. The commands start in the order of these calls. `on_end`: see
    /// CommandRunner; it must not destroy this object.
    void run(CommandRunner::Command command, CommandRunner::OnEnd on_end);

  private:
    struct Job {
        CommandRunner::Command command;
        CommandRunner::OnEnd on_end;
        std::unique_ptr<CommandRunner> runner;
    };

    void start_next();
    void ended(std::list<Job>::iterator job, const CommandResult& result);

    asio::io_context& io_;
    std::size_t at_a_time_;
    std::list<Job> waiting_, running_;
};

}  // namespace ductile::rms
