// Reads the input of a job from the stdin of this process.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

namespace ductile::broker {

/// Reads on its own thread. Reads a terminal only while this process is in its foreground, so that
/// what is typed for another program reaches that program, and stops nobody.
class ConsoleInput {
  public:
    explicit ConsoleInput(asio::io_context& io);
    ~ConsoleInput();
    ConsoleInput(const ConsoleInput&) = delete;
    ConsoleInput& operator=(const ConsoleInput&) = delete;

    /// Call this once. The event loop calls `on_input` with each piece of the input, and with an
    /// empty piece at the end. The thread waits for more() before each piece, so that a rank that
    /// does not read costs no memory.
    void read(std::function<void(std::string)> on_input);
    void more();

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace ductile::broker
