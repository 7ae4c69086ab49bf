// What an agent does for each rank of its host beside starting it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/layout.hpp"
#include "os/fd.hpp"

namespace ductile::agent {

/// A rank whose process is there, with the read ends of its stdout and stderr. Services may take
/// these.
struct StartedRank {
    core::Process who;
    os::Fd output, error;
};

/// A service of the host for its ranks. It is registered in one place: AgentContext::services.
class HostService {
  public:
    HostService() = default;
    virtual ~HostService() = default;
    HostService(const HostService&) = delete;
    HostService& operator=(const HostService&) = delete;

    /// What the rank needs in its environment: entries "NAME=value". Called before its start.
    [[nodiscard]] virtual std::vector<std::string> environment(const core::Process& /*who*/) {
        return {};
    }
    /// Once for each rank whose process is there.
    virtual void started(StartedRank& /*rank*/) {}
    /// Once for each rank that has started.
    virtual void ended(const core::Process& /*who*/) {}

    /// MPI runs in this process, which is a rank of the group.
    virtual void mpi_runs(core::GroupId /*group*/, pid_t /*process*/) {}
    /// These processes of the group are killed next.
    virtual void will_be_killed(core::GroupId /*group*/, const std::vector<pid_t>& /*processes*/) {}
    /// No process of the group is left.
    virtual void group_ended(core::GroupId /*group*/) {}
};

using HostServices = std::vector<HostService*>;

}  // namespace ductile::agent
