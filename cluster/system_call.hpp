// What the files of this folder share when they call the kernel: errors with their reason,
// deadlines.
#pragma once

#include <chrono>
#include <string>

#include "os/pipe.hpp"

namespace ductile::cluster {

/// Throws SystemError "cannot ATTEMPT (reason of errno)".
[[noreturn]] void throw_errno(const std::string& attempt);

/// The result of a system call; throws as throw_errno when it is negative.
int check(int result, const char* attempt);

using Descriptor = os::Fd;
using Pipe = os::Pipe;

/// A point in time after which nobody waits any longer.
class Deadline {
  public:
    explicit Deadline(std::chrono::milliseconds from_now)
        : end_(std::chrono::steady_clock::now() + from_now) {}
    [[nodiscard]] bool has_passed() const { return left_ms() == 0; }
    /// What is left, rounded up, for poll(): 0 when passed.
    [[nodiscard]] int left_ms() const;

  private:
    std::chrono::steady_clock::time_point end_;
};

/// Sleeps until `descriptor` can be read or is hung up, for at most `left_ms` (-1: without limit);
/// false when it could not.
bool wait_readable(int descriptor, int left_ms);

/// The whole of a small file; empty when it cannot be read (a process that has just ended).
std::string read_file(const std::string& path);

/// Writes `text` into an existing file of the kernel's; false with errno when refused.
bool write_file(const std::string& path, const std::string& text);

}  // namespace ductile::cluster
