// Host service: sets the variables by which the MPI of a rank finds the PMI-1 service of the agent.
#pragma once

#include <string>
#include <vector>

#include "agent/host_service.hpp"

namespace ductile::agent {

class PmiEnvironment : public HostService {
  public:
    /// For example, rank 1 of 4 on a host with ranks 0 and 1 gets PMI_PORT=127.0.0.1:40123,
    /// PMI_ID=1804289383, PMI_RANK=1, PMI_SIZE=4, MPI_LOCALRANKID=1, MPI_LOCALNRANKS=2 and
    /// PMI_HOSTNAME. A spawned rank also gets PMI_SPAWNED=1. MPI learns rank and size over the port
    /// (pmi/port.hpp); PMI_RANK and PMI_SIZE are for scripts. Programs choose a GPU by the local
    /// rank, and many look for it under the names that Open MPI and MVAPICH2 give it.
    [[nodiscard]] std::vector<std::string> environment(const RankPlace& place) override;
};

}  // namespace ductile::agent
