// One run of mpiexec.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "agent/lines.hpp"
#include "os/spawn.hpp"
#include "wire/local_socket.hpp"

namespace ductile::agent {

/// True for what mpiexec says though nothing is wrong.
bool is_launcher_noise(std::string_view line);

/// The process and what it says itself (its ranks have pipes of their own).
class LauncherRun : public std::enable_shared_from_this<LauncherRun> {
  public:
    using OnLine = std::function<void(const std::string&)>;
    /// Starts it; its output comes here, its input is empty if `what` gives none. Throws
    /// SystemError that names the program.
    static std::shared_ptr<LauncherRun> start(asio::io_context& io, os::Spawn what, OnLine on_line);
    LauncherRun(asio::io_context& io, pid_t pid, int output, OnLine on_line);

    [[nodiscard]] pid_t pid() const { return pid_; }
    [[nodiscard]] bool running() const { return running_; }
    [[nodiscard]] int code() const { return code_; }
    [[nodiscard]] int signal() const { return signal_; }
    /// The last of what it said, at most 4 KiB.
    [[nodiscard]] const std::string& text() const { return tail_; }

    /// Its wait status has been read (by the agent, which reaps all children).
    void reaped(int status);
    void kill();

  private:
    void read();
    void take(std::string_view bytes);

    pid_t pid_;
    asio::posix::stream_descriptor output_;
    OnLine on_line_;
    Lines lines_{4096};
    std::string tail_;
    bool running_ = true;
    int code_ = 0, signal_ = 0;
};

}  // namespace ductile::agent
