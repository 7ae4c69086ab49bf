// What ps shows for a forked process that executes no other program.
#pragma once

#include <string>

namespace ductile::cluster {

/// From now on /proc/self/cmdline shows `title`, comm shows its last word, and /proc/self/environ
/// is empty. Without this, an init or a session would look like a process of the job whose command
/// line and environment it inherited. Clears `environ`. Needs /proc of this process.
void set_process_title(const std::string& title);

}  // namespace ductile::cluster
