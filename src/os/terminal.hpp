// Whether a terminal may be used at this moment.
#pragma once

#include <chrono>

namespace ductile::os {

/// How often to look at a terminal, since nothing tells a process that it has come to the
/// foreground.
inline constexpr auto between_looks_at_terminal = std::chrono::milliseconds(200);

/// Whether no shell is left that could bring this process to the foreground, or continue it when it
/// is stopped.
[[nodiscard]] bool is_orphaned();

/// Whether this is the terminal of this process's session, another process group is in its
/// foreground, and this one may come there. A read then stops the whole process group (SIGTTIN). In
/// a thread that has blocked SIGTTIN it fails with EIO instead, which is not the end of the input.
/// False if it is_orphaned().
[[nodiscard]] bool is_in_background(int terminal);

/// Whether a read that has failed with EIO may be repeated: this process has been in the background
/// of the terminal, and may be in its foreground by now.
[[nodiscard]] bool may_read_again(int terminal);

/// Whether a write to this descriptor would stop the process group (SIGTTOU): it
/// is_in_background(), and `stty tostop` is set.
[[nodiscard]] bool is_write_held(int terminal);

}  // namespace ductile::os
