// Helpers for descriptors. Those that are made here are closed on exec.
#pragma once

#include <sys/types.h>

#include "os/fd.hpp"

namespace ductile::os {

/// Opens /dev/null; `access` is as for open(). Returns an empty Fd on failure, for example
/// if no descriptor is left.
[[nodiscard]] Fd open_nothing(int access);

/// A descriptor that becomes readable when the process `pid` ends. Returns an empty Fd on failure,
/// for example if there is no such process. Then errno gives the reason.
[[nodiscard]] Fd watch_process(pid_t pid);

/// Signals the process that `watch` watches. Never signals another process that now has its pid.
void signal_process(int watch, int number);

/// From now on, reads and writes do not wait (O_NONBLOCK).
void never_block(const Fd& fd);

}  // namespace ductile::os
