// What ps shows of a process that was forked and runs no program of its own.
#pragma once

#include <string>

namespace ductile::cluster {

/// From now on /proc/self/cmdline and comm show `title` and /proc/self/environ is empty: an init or
/// a session must not be taken for a process of the job whose words and environment it inherited.
/// Clears `environ`. Needs /proc of this process.
void set_process_title(const std::string& title);

}  // namespace ductile::cluster
