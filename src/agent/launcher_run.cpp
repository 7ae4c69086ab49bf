#include "agent/launcher_run.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "os/descriptors.hpp"
#include "os/pipe.hpp"

namespace ductile::agent {

namespace {

constexpr std::size_t max_tail_bytes = 4000;

}  // namespace

bool is_launcher_noise(std::string_view line) {
    // Open MPI's launcher and its child both put the child into a process group of its own. The
    // second of these calls may fail.
    constexpr std::string_view late_to_set_a_group = "plm:rsh: Warning: setpgid(";
    return line.find(late_to_set_a_group) != line.npos;
}

std::shared_ptr<LauncherRun> LauncherRun::start(asio::io_context& io, os::Spawn what,
                                                OnLine on_line) {
    auto pipe = os::make_pipe(what.argv.at(0));
    const auto nothing = os::open_nothing(O_RDONLY);
    if (what.input < 0) what.input = nothing.get();
    what.output = what.error = pipe.write.get();
    const pid_t pid = os::spawn(what);
    os::never_block(pipe.read);
    auto run = std::make_shared<LauncherRun>(io, pid, pipe.read.release(), std::move(on_line));
    run->read();
    return run;
}

LauncherRun::LauncherRun(asio::io_context& io, pid_t pid, int output, OnLine on_line)
    : pid_(pid), output_(io, output), on_line_(std::move(on_line)) {}

void LauncherRun::read() {
    output_.async_wait(asio::posix::stream_descriptor::wait_read,
                       [self = shared_from_this()](const asio::error_code& error) {
                           if (error || !self->output_.is_open()) return;
                           char buffer[4096];
                           const auto n =
                               ::read(self->output_.native_handle(), buffer, sizeof(buffer));
                           if (n > 0) self->take({buffer, static_cast<std::size_t>(n)});
                           if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
                               return self->read();
                           asio::error_code ignored;
                           self->output_.close(ignored);
                       });
}

void LauncherRun::take(std::string_view bytes) {
    tail_ += bytes;
    if (tail_.size() > max_tail_bytes) tail_.erase(0, tail_.size() - max_tail_bytes);
    auto whole = lines_.add(bytes);
    for (std::size_t begin = 0; begin < whole.size();) {
        const auto end = std::min(whole.find('\n', begin), whole.size());
        if (end > begin && on_line_) on_line_(whole.substr(begin, end - begin));
        begin = end + 1;
    }
}

void LauncherRun::reaped(int status) {
    running_ = false;
    signal_ = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    code_ = WIFSIGNALED(status) ? 128 + signal_ : WEXITSTATUS(status);
    // The last output may still be in the pipe.
    char buffer[4096];
    ssize_t n = 0;
    while (output_.is_open() && (n = ::read(output_.native_handle(), buffer, sizeof(buffer))) > 0)
        take({buffer, static_cast<std::size_t>(n)});
}

void LauncherRun::kill() {
    if (running_) ::kill(pid_, SIGKILL);
}

}  // namespace ductile::agent
