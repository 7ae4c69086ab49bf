// Stops all processes of a host, and lets them continue later. There are two ways with one
// interface.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

namespace ductile::cluster {

/// A host whose processes are all stopped. The kernel still answers for its network: it sends ACKs,
/// but no process reads a byte. In both ways, a frozen process can be killed. Destroy a FrozenHost
/// without thaw() only for a host that was killed.
class FrozenHost {
  public:
    FrozenHost() = default;
    FrozenHost(const FrozenHost&) = delete;
    FrozenHost& operator=(const FrozenHost&) = delete;
    virtual ~FrozenHost() = default;
    [[nodiscard]] virtual std::string_view method() const = 0;
    virtual void thaw() = 0;
};

/// Freezes by a cgroup (version 2) that exists only during the freeze. Processes notice nothing.
/// Throws SystemError and changes nothing if this user may not make cgroups. If not all processes
/// are stopped within 5 s, throws TimeoutError and lets the processes continue. `list`: a file that
/// records the cgroup for later clean-up.
std::unique_ptr<FrozenHost> freeze_by_cgroup(ino_t pid_namespace, const std::string& label,
                                             const std::string& list);

/// Removes the cgroups of a list. `list`: the contents of the file of freeze_by_cgroup, one cgroup
/// a line. Ignores lines that freeze_by_cgroup cannot have written: it makes only cgroups in the
/// cgroup2 file system whose names begin with "ductile-".
void remove_cgroups_of_freezes(const std::string& list);

/// Freezes by SIGSTOP to each process until none runs. Works everywhere. A parent that asks for it
/// (WUNTRACED) sees that its children are stopped. Throws TimeoutError if a process does not stop
/// within 5 s; the processes then continue. thaw() does not continue processes that were stopped
/// before.
std::unique_ptr<FrozenHost> freeze_by_signals(ino_t pid_namespace);

}  // namespace ductile::cluster
