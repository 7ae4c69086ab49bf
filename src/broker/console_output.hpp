// What a job writes to this process's stdout and stderr.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

namespace ductile::broker {

/// Writes on a thread of its own, so that a slow reader stops nothing but output.
class ConsoleOutput {
  public:
    /// `on_full(true)` when much is waiting to be written, `on_full(false)` when it is not any
    /// more; `on_broken` once, with errno, when stdout cannot be written any more. From the event
    /// loop.
    ConsoleOutput(asio::io_context& io, std::function<void(bool)> on_full,
                  std::function<void(int)> on_broken);
    ~ConsoleOutput();
    ConsoleOutput(const ConsoleOutput&) = delete;
    ConsoleOutput& operator=(const ConsoleOutput&) = delete;

    void write(int stream, std::string text);
    /// Waits until all is written, at most `seconds`.
    void drain(int seconds);

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace ductile::broker
