// Stopping every process of a host at once, and letting them go on. Two ways, one interface.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

namespace ductile::cluster {

/// A host none of whose processes runs. The kernel still answers for its network: an ACK comes, no
/// byte is read. A frozen process can be killed, in both ways. Destroying one without thaw() is for
/// hosts that were killed.
class FrozenHost {
  public:
    FrozenHost() = default;
    FrozenHost(const FrozenHost&) = delete;
    FrozenHost& operator=(const FrozenHost&) = delete;
    virtual ~FrozenHost() = default;
    [[nodiscard]] virtual std::string_view method() const = 0;
    virtual void thaw() = 0;
};

/// By a cgroup (version 2) made for the time of the freeze: processes notice nothing. Throws
/// SystemError, with nothing changed, where this user may not make cgroups. `list` names a file in
/// which the cgroup is written down for whoever cleans up.
std::unique_ptr<FrozenHost> freeze_by_cgroup(ino_t pid_namespace, const std::string& label,
                                             const std::string& list);

/// Removes the cgroups that such a list names, one a line, and that lie where freeze_by_cgroup
/// makes them: in the cgroup2 file system, with a name of ours. Any other line is passed over.
void remove_cgroups_of_freezes(const std::string& list);

/// By SIGSTOP to each process until none is left running. Works everywhere; a parent that asks for
/// it (WUNTRACED) sees its children stopped. Those that were stopped before are not continued by
/// thaw().
std::unique_ptr<FrozenHost> freeze_by_signals(ino_t pid_namespace);

}  // namespace ductile::cluster
