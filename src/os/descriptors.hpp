// Descriptors that programs of ours often need, all closed in programs that are executed.
#pragma once

#include <sys/types.h>

#include "os/fd.hpp"

namespace ductile::os {

/// /dev/null; `access` as for open(). None when there are no descriptors left.
[[nodiscard]] Fd open_nothing(int access);

/// Readable when this child, or another process of this user, has ended. None when there is no such
/// process; errno then says why.
[[nodiscard]] Fd watch_process(pid_t pid);

void never_block(const Fd& fd);

}  // namespace ductile::os
