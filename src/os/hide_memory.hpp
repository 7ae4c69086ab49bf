// Hides the memory of a process that holds a secret.
#pragma once

namespace ductile::os {

/// From now on the kernel writes no core dump of this process, and lets no other process of this
/// user read its memory (PR_SET_DUMPABLE). If DUCTILE_DUMPABLE=1 is in the environment, for
/// debugging, the call does nothing. A program that this process executes is dumpable again.
void hide_memory();

}  // namespace ductile::os
