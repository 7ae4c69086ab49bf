// A program beside the event loop, with its three streams. Nothing of it is left behind.
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

/// Names the program and says why. `code`: errno.
class NotStarted : public SystemError {
  public:
    NotStarted(const std::string& text, int number) : SystemError(text), code(number) {}
    int code;
};

/// How a program ended.
struct ChildEnd {
    bool signalled = false;
    int code = 0;                          ///< exit status, or the signal's number
    std::vector<LeftProcess> left_behind;  ///< what it left running; ended since
};

/// One child in a session of its own. It is killed when the thread that started it dies.
class ChildProcess {
  public:
    /// Any of them may destroy the ChildProcess.
    struct Events {
        std::function<void(std::string_view)> on_output, on_error;  ///< pieces, as they come
        /// Once, after the last output, when nothing of it runs any more.
        std::function<void(const ChildEnd&)> on_end;
    };

    /// `environment` is all that it gets. Throws NotStarted.
    ChildProcess(asio::io_context& io, const std::vector<std::string>& arguments,
                 const Environment& environment, Events events);
    /// Kills it, and all that it has started. Blocks while that is looked for: milliseconds, at
    /// most two seconds. Nothing is told any more.
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// Queued; dropped when it has closed its standard input or has ended.
    void write(std::string_view text);
    /// How much it has not read yet.
    [[nodiscard]] std::size_t unread() const;
    /// Its standard input ends after what is queued.
    void close_input();
    /// To its whole process group.
    void signal(int number);
    /// Gives it what is queued, closes its input, and waits so long for its end. Blocks.
    void finish(std::chrono::milliseconds time);

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace ductile::rms
