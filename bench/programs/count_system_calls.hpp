// How many system calls a piece of code makes.
#pragma once

#include <functional>

namespace ductile::bench {

/// Runs `code` once in a thread of its own, while this thread waits. The system calls of the new
/// thread are trapped (seccomp) and counted. A trapped call does nothing, and its result has no
/// meaning. The new thread then sleeps until the process ends. Returns -1 if the kernel does not
/// support this.
long count_system_calls(const std::function<void()>& code);

}  // namespace ductile::bench
