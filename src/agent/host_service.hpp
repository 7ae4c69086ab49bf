// What an agent does for each rank of its host, beside the start of the rank.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/layout.hpp"
#include "os/fd.hpp"

namespace ductile::agent {

/// A rank before its start, and its place in its world.
struct RankPlace {
    core::Process who;    ///< with its rank in its MPI_COMM_WORLD
    int ranks = 1;        ///< the size of its MPI_COMM_WORLD
    int local_rank = 0;   ///< its number on this host: no other living process of the job has it
    int local_ranks = 1;  ///< the number of ranks of its world on this host
    bool spawned = false;
    /// Where its MPI finds its process manager, and the number by which that knows the rank. Empty:
    /// the rank inherits a socket instead (os::Spawn::extra_becomes).
    std::string pmi_port = {};
    int pmi_id = 0;
};

/// A rank whose process runs, with the read ends of its stdout and stderr. A service may take them.
struct StartedRank {
    core::Process who;
    os::Fd output, error;
};

/// A service of the host for its ranks. AgentContext::services lists all services.
class HostService {
  public:
    HostService() = default;
    virtual ~HostService() = default;
    HostService(const HostService&) = delete;
    HostService& operator=(const HostService&) = delete;

    /// The entries "NAME=value" for the rank's environment. Called before the agent starts the
    /// rank. Not called if a launcher of the MPI starts the rank.
    [[nodiscard]] virtual std::vector<std::string> environment(const RankPlace& /*place*/) {
        return {};
    }
    /// Called once for each rank whose process runs.
    virtual void started(StartedRank& /*rank*/) {}
    /// Called once for each rank that had started and has ended.
    virtual void ended(const core::Process& /*who*/) {}

    /// MPI is initialised in this process, which is a rank of the group.
    virtual void mpi_runs(core::GroupId /*group*/, pid_t /*process*/) {}
    /// The agent kills some or all of these processes of the group next. Not called if, for
    /// each rank of the group here, mpi_runs() was called or the rank has ended: then the files are
    /// known already.
    virtual void will_be_killed(core::GroupId /*group*/, const std::vector<pid_t>& /*processes*/) {}
    /// No process of the group is left.
    virtual void group_ended(core::GroupId /*group*/) {}
};

using HostServices = std::vector<HostService*>;

}  // namespace ductile::agent
