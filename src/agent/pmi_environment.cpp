#include "agent/pmi_environment.hpp"

#include <utility>

#include "os/spawn.hpp"
#include "rms/self.hpp"

namespace ductile::agent {

std::vector<std::string> PmiEnvironment::environment(const RankPlace& place) {
    const int rank = place.who.rank.value;
    const bool inherits = place.pmi_port.empty();
    std::vector<std::string> entries;
    for (const auto& [name, value] :
         {inherits ? std::pair<const char*, int>{"PMI_FD", os::Spawn::extra_becomes}
                   : std::pair<const char*, int>{"PMI_ID", place.pmi_id},
          {"PMI_RANK", rank},
          {"PMI_SIZE", place.ranks},
          {"MPI_LOCALRANKID", place.local_rank},
          {"OMPI_COMM_WORLD_LOCAL_RANK", place.local_rank},
          {"MV2_COMM_WORLD_LOCAL_RANK", place.local_rank},
          {"MPI_LOCALNRANKS", place.local_ranks}})
        entries.push_back(std::string(name) + "=" + std::to_string(value));
    if (!inherits) entries.push_back("PMI_PORT=" + place.pmi_port);
    entries.push_back("PMI_HOSTNAME=" + rms::host_name());
    if (place.spawned) entries.emplace_back("PMI_SPAWNED=1");
    return entries;
}

}  // namespace ductile::agent
