// A program started beside the event loop: standard input given once, stderr kept (its end), exit
// told.
#pragma once

#include <asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ductile::rms {

/// One child process in a session of its own, so that Ctrl-C in the terminal does not hit it.
class AgentProcess {
  public:
    /// Exit code (128 + signal) and at most the last 4 KiB of stderr.
    using OnExit = std::function<void(int code, const std::string& stderr_tail)>;

    /// Throws SystemError that names the program when it cannot be started.
    AgentProcess(asio::io_context& io, const std::vector<std::string>& argv,
                 const std::string& input, OnExit on_exit);
    /// Lets the process run on; `on_exit` is not called any more.
    ~AgentProcess();
    AgentProcess(const AgentProcess&) = delete;
    AgentProcess& operator=(const AgentProcess&) = delete;

    [[nodiscard]] int pid() const;
    [[nodiscard]] bool ended() const;
    /// Sends a signal, if it has not ended yet.
    void signal(int number);
    /// Waits so long for its end; true when it has come.
    [[nodiscard]] bool ends_within(std::chrono::milliseconds time) const;
    /// Ends it, and all that it has started here (a remote shell's children). Returns at once: what
    /// is killed may have started another just before, which the event loop looks for, for a
    /// second.
    void kill();
    /// Likewise, for when no event loop runs any more: blocks for milliseconds, a second at most.
    void kill_and_wait();

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace ductile::rms
