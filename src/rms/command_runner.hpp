// Runs a command beside the event loop. The command gets its input, and runs to its end or its
// deadline. Its result is reported once.
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
        std::vector<std::string> arguments;  ///< as in rms::Command
        Environment environment;             ///< the whole environment: nothing is inherited
        std::string input;                   ///< all of its standard input
        std::chrono::milliseconds deadline{10'000};
        std::chrono::milliseconds grace{500};                   ///< from SIGTERM to SIGKILL
        std::size_t max_output_bytes = std::size_t{64} * 1024;  ///< limit for each stream
    };
    using OnEnd = std::function<void(const CommandResult&)>;

    /// The event loop calls `on_end` once, within deadline + grace + 2 s. `on_end` may destroy the
    /// runner. `on_end` is also called for a command that cannot be started.
    CommandRunner(asio::io_context& io, Command command, OnEnd on_end);
    /// Kills the command and all processes that it started, as ~ChildProcess does. `on_end` is not
    /// called any more.
    ~CommandRunner();
    CommandRunner(const CommandRunner&) = delete;
    CommandRunner& operator=(const CommandRunner&) = delete;

    /// Ends the command as if its deadline had passed. Its result is `cancelled`.
    void cancel();

  private:
    struct State;
    std::shared_ptr<State> state_;
};

/// As the other how_it_ended(), for this type of command.
[[nodiscard]] std::string how_it_ended(const CommandRunner::Command& command,
                                       const CommandResult& result);

}  // namespace ductile::rms
