// A command beside the event loop: given its input, awaited to its end or its deadline, told once.
#pragma once

#include <asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rms/command.hpp"

namespace ductile::rms {

/// As run_command(), without blocking.
class CommandRunner {
  public:
    struct Command {
        std::vector<std::string> arguments;  ///< without '/' sought in `environment`'s PATH
        Environment environment;             ///< all of it: nothing is inherited
        std::string input;                   ///< its standard input, which then ends
        std::chrono::milliseconds deadline{10'000};
        std::chrono::milliseconds grace{500};                   ///< from SIGTERM to SIGKILL
        std::size_t max_output_bytes = std::size_t{64} * 1024;  ///< kept of each stream
    };
    using OnEnd = std::function<void(const CommandResult&)>;

    /// `on_end` is called once, from the event loop, within deadline + grace + 2 s; it may destroy
    /// the runner. What cannot be started is told in the same way.
    CommandRunner(asio::io_context& io, Command command, OnEnd on_end);
    /// Kills the command, and all that it has started. Nothing is told any more.
    ~CommandRunner();
    CommandRunner(const CommandRunner&) = delete;
    CommandRunner& operator=(const CommandRunner&) = delete;

    /// Ends the command as its deadline would; its result is `cancelled`.
    void cancel();

  private:
    struct State;
    std::shared_ptr<State> state_;
};

/// As how_it_ended() of a command that blocks.
[[nodiscard]] std::string how_it_ended(const CommandRunner::Command& command,
                                       const CommandResult& result);

}  // namespace ductile::rms
