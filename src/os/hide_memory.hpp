// For processes that hold a secret.
#pragma once

namespace ductile::os {

/// No core of this process is written, and no other process of this user may read its memory
/// (PR_SET_DUMPABLE), unless DUCTILE_DUMPABLE=1 is in its environment: for those who debug it. What
/// it executes is dumpable again.
void hide_memory();

}  // namespace ductile::os
