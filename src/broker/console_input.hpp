// What a job reads from this process's stdin.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

namespace ductile::broker {

/// Reads on a thread of its own.
class ConsoleInput {
  public:
    explicit ConsoleInput(asio::io_context& io);
    ~ConsoleInput();
    ConsoleInput(const ConsoleInput&) = delete;
    ConsoleInput& operator=(const ConsoleInput&) = delete;

    /// To be called once. `on_input` gets pieces, an empty one at the end, from the event loop.
    /// Before each piece reading waits for more(), so that a rank that does not read costs no
    /// memory.
    void read(std::function<void(std::string)> on_input);
    void more();

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace ductile::broker
