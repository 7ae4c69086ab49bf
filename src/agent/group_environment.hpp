// The environment of the processes that an agent starts: ranks, a launcher, an abort connector.
#pragma once

#include <string>
#include <vector>

#include "agent/host_service.hpp"

namespace ductile::agent {

/// `ours` first, then the entries of `welcome` whose variables are not in `ours`.
std::vector<std::string> group_environment(const std::vector<std::string>& welcome,
                                           const std::vector<std::string>& ours);

/// The entries that the services give to a rank, in the order of the services.
std::vector<std::string> environment_by(const HostServices& services, const RankPlace& place);

}  // namespace ductile::agent
