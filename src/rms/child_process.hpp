// A program that runs beside the event loop, with its three streams. It leaves no process behind.
#pragma once

#include <asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ductile/error.hpp"
#include "rms/command.hpp"

namespace ductile::rms {

/// A program cannot be started. The text names the program and the reason. `code`: errno.
class NotStarted : public SystemError {
  public:
    NotStarted(const std::string& text, int number) : SystemError(text), code(number) {}
    int code;
};

/// How a program ended.
struct ChildEnd {
    bool signalled = false;
    int code = 0;                          ///< exit status, or the signal's number
    std::vector<LeftProcess> left_behind;  ///< processes that it left behind; killed since
};

/// One child process in its own session. It is killed when the thread that started it dies.
class ChildProcess {
  public:
    /// Each callback may destroy the ChildProcess.
    struct Events {
        std::function<void(std::string_view)> on_output, on_error;  ///< pieces, as they arrive
        /// Called once, after the last output, when the child has ended and no process that it
        /// started runs any more. Processes that cannot be killed delay this by a second at most.
        std::function<void(const ChildEnd&)> on_end;
    };

    /// The child gets no variables except `environment` (and a mark: command_mark). Throws
    /// NotStarted, SystemError when descriptors run out, and InputError without arguments.
    ChildProcess(asio::io_context& io, const std::vector<std::string>& arguments,
                 const Environment& environment, Events events);
    /// Kills the child, and all processes that it started. Returns immediately. The event loop
    /// looks for remaining processes for at most a second. If the event loop is destroyed earlier,
    /// its destructor looks for them instead, and blocks meanwhile. No callback is called any more.
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// Queues the text. The text is dropped if the child has closed its standard input or has
    /// ended, and after close_input().
    void write(std::string_view text);
    /// How many bytes of the input wait in this process for the child to read. The socket to the
    /// child may hold further unread bytes.
    [[nodiscard]] std::size_t unread() const;
    /// Ends the child's standard input after the queued text.
    void close_input();
    /// Sends a signal to the child's process group.
    void signal(int number);
    /// Writes the queued text, closes the child's input, and waits for the end of the child. Blocks
    /// for at most `time`.
    void finish(std::chrono::milliseconds time);

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace ductile::rms
