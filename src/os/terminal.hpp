// Whether a terminal may be used at this moment.
#pragma once

#include <chrono>

namespace ductile::os {

/// How often to look at a terminal, since nothing tells a process that it has come to the
/// foreground.
inline constexpr auto between_looks_at_terminal = std::chrono::milliseconds(200);

/// Whether this is the terminal of this process's session, and another process group is in its
/// foreground. A read then stops the whole process group (SIGTTIN). In a thread that has blocked
/// SIGTTIN it fails with EIO instead, which is not the end of the input.
[[nodiscard]] bool is_in_background(int terminal);

/// Whether a write to this descriptor would stop the process group (SIGTTOU): it
/// is_in_background(), and `stty tostop` is set.
[[nodiscard]] bool is_write_held(int terminal);

}  // namespace ductile::os
