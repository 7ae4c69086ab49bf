// Runs the commands of Slurm.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rms/command_environment.hpp"
#include "rms/command_queue.hpp"

namespace ductile::rms {

class SlurmClient {
  public:
    using Words = std::vector<std::string>;

    SlurmClient();
    /// Called once, before the first run() or post().
    void attach(asio::io_context& io);
    /// Runs a command beside the event loop, for 20 s at most.
    void run(Words words, CommandRunner::OnEnd on_end);
    /// Calls `later` from the event loop.
    void post(std::function<void()> later);
    /// Kills the running commands. No `on_end` is called any more. Do not call run() after this.
    void stop() { queue_.reset(); }
    /// Runs a command without the event loop, for 5 s at most.
    void run_at_end(Words words);

  private:
    asio::io_context* io_ = nullptr;
    Environment environment_;
    std::unique_ptr<CommandQueue> queue_;
};

/// The output of a command. `name`: the command, for messages. If the command failed, throws
/// SystemError with the last line of its stderr, or with how it ended. Also throws if the output
/// has more than 4 MiB.
const std::string& output_of(const std::string& name, const CommandResult& result);
/// As output_of(), but returns the first lines (4 MiB) of an output that is longer.
std::string first_lines_of(const std::string& name, const CommandResult& result);

}  // namespace ductile::rms
