// A program that runs beside the event loop. Its standard input is written once, at its start. The
// last 4 KiB of its stderr are kept, and its exit is reported.
#pragma once

#include <asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ductile::rms {

/// One child process in its own session, so that Ctrl-C in the terminal does not reach it.
class AgentProcess {
  public:
    /// Gets the exit code (128 + signal) and at most the last 4 KiB of stderr.
    using OnExit = std::function<void(int code, const std::string& stderr_tail)>;

    /// Throws SystemError that names the program when it cannot be started.
    AgentProcess(asio::io_context& io, const std::vector<std::string>& argv,
                 const std::string& input, OnExit on_exit);
    /// The process continues. `on_exit` is not called any more.
    ~AgentProcess();
    AgentProcess(const AgentProcess&) = delete;
    AgentProcess& operator=(const AgentProcess&) = delete;

    [[nodiscard]] int pid() const;
    [[nodiscard]] bool ended() const;
    /// Sends a signal, if the process has not ended yet.
    void signal(int number);
    /// Waits at most this time for the end of the process. True: it has ended.
    [[nodiscard]] bool ends_within(std::chrono::milliseconds time) const;
    /// Kills the process, and all processes that it started on this machine (a remote shell's
    /// children). Returns at once. A killed process may have started another one just before, so
    /// the event loop looks for more of them for a second.
    void kill();
    /// As kill(), but needs no running event loop. It blocks, usually for some milliseconds, for a
    /// second at most.
    void kill_and_wait();

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace ductile::rms
