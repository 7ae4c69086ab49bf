// How many system calls a piece of code makes.
#pragma once

#include <functional>

namespace ductile::bench {

/// Runs `code` in a thread of its own (which sleeps on for ever afterwards) whose system calls are
/// trapped (seccomp) and counted; a trapped call does nothing and fails with ENOSYS. Returns -1
/// where the kernel does not offer this. `code` is called once, while this thread waits.
long count_system_calls(const std::function<void()>& code);

}  // namespace ductile::bench
