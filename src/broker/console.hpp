// The job's standard streams at the broker's end.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

namespace ductile::broker {

/// Writes to this process's stdout and stderr on a thread of its own, so that a slow reader stops
/// nothing but output, and reads its stdin on another.
class Console {
  public:
    /// `on_full(true)` when much is waiting to be written, `on_full(false)` when it is not any
    /// more; `on_broken` once, with errno, when our output cannot be written any more. From the
    /// event loop.
    Console(asio::io_context& io, std::function<void(bool)> on_full,
            std::function<void(int)> on_broken);
    ~Console();
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;

    void write(int stream, std::string text);
    /// Waits until all is written, at most `seconds`.
    void drain(int seconds);

    /// Begins to read stdin: `on_input` gets pieces, an empty one at the end. After each piece
    /// reading waits for more_input(), so that a rank that does not read costs no memory.
    void read_input(std::function<void(std::string)> on_input);
    void more_input();

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace ductile::broker
