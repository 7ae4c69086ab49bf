// One run of mpiexec, of one of its proxies, or of an abort connector.
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

/// True for a line that mpiexec prints although nothing is wrong.
bool is_launcher_noise(std::string_view line);

/// The process and its own output. Ranks that it starts have pipes of their own.
class LauncherRun : public std::enable_shared_from_this<LauncherRun> {
  public:
    using OnLine = std::function<void(const std::string&)>;
    /// Starts the process, and reads its output. Its input is empty if `what` gives none. Throws
    /// SystemError that names the program.
    static std::shared_ptr<LauncherRun> start(asio::io_context& io, os::Spawn what, OnLine on_line);
    LauncherRun(asio::io_context& io, pid_t pid, int output, OnLine on_line);

    [[nodiscard]] pid_t pid() const { return pid_; }
    [[nodiscard]] bool running() const { return running_; }
    [[nodiscard]] int code() const { return code_; }
    [[nodiscard]] int signal() const { return signal_; }
    /// The last part of its output, at most 4000 bytes.
    [[nodiscard]] const std::string& text() const { return tail_; }

    /// The agent, which reaps all children, has read the wait status of the process.
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
