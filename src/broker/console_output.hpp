// Writes the output of a job to the stdout and stderr of this process.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

namespace ductile::broker {

/// Writes on its own thread, so that a slow reader only stops the output. So does a terminal with
/// `stty tostop` while this process is in its background.
class ConsoleOutput {
  public:
    /// The event loop calls `on_full(true)` when much output waits to be written, and
    /// `on_full(false)` when this is over. It calls `on_broken` once, with errno, when stdout
    /// cannot be written any more. It does not if stdout is a terminal that has hung up: a job that
    /// was not meant to end then (`disown`) loses the rest of its output, as other programs do.
    ConsoleOutput(asio::io_context& io, std::function<void(bool)> on_full,
                  std::function<void(int)> on_broken);
    ~ConsoleOutput();
    ConsoleOutput(const ConsoleOutput&) = delete;
    ConsoleOutput& operator=(const ConsoleOutput&) = delete;

    void write(int stream, std::string text);
    /// Waits until all output is written, but at most `seconds`. If the terminal holds writers in
    /// its background up (`stty tostop`), this process is stopped meanwhile, as others are.
    void drain(int seconds);
    /// From now on drops what such a terminal holds up, and does not stop this process: somebody
    /// ends the job, and should not have to bring it to the foreground for this.
    void drop_held();

    [[nodiscard]] static bool is_terminal(int stream);
    /// Whether stdout and stderr of this process are the same terminal or file.
    [[nodiscard]] static bool is_one_place();

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace ductile::broker
