// Helpers for system calls in this folder: errors with their reason, and deadlines.
#pragma once

#include <chrono>
#include <string>

#include "os/pipe.hpp"

namespace ductile::cluster {

/// Throws SystemError "cannot ATTEMPT (reason of errno)".
[[noreturn]] void throw_errno(const std::string& attempt);

/// Returns the result of a system call. Throws as throw_errno does if it is negative.
int check(int result, const char* attempt);

using Descriptor = os::Fd;
using Pipe = os::Pipe;

/// The time limit of an action that may have to wait several times.
class Deadline {
  public:
    explicit Deadline(std::chrono::milliseconds from_now)
        : end_(std::chrono::steady_clock::now() + from_now) {}
    [[nodiscard]] bool has_passed() const { return left_ms() == 0; }
    /// The remaining time, rounded up, for poll(). 0 if the deadline has passed.
    [[nodiscard]] int left_ms() const;

  private:
    std::chrono::steady_clock::time_point end_;
};

/// Sleeps until `descriptor` is readable or hung up, for at most `left_ms` (-1: no limit). False:
/// it is neither.
bool wait_readable(int descriptor, int left_ms);

/// The whole text of a small file. Empty if it cannot be read (for example, its process has just
/// ended).
std::string read_file(const std::string& path);

/// Writes `text` to an existing file of the kernel. False with errno if the kernel refuses.
bool write_file(const std::string& path, const std::string& text);

}  // namespace ductile::cluster
