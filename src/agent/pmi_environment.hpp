// What tells the MPI of a rank that PMI-1 is served to it.
#pragma once

#include <string>
#include <vector>

namespace ductile::agent {

struct RankPlace {
    int rank = 0;         ///< in its MPI_COMM_WORLD
    int ranks = 1;        ///< of that
    int first_local = 0;  ///< the first rank of its world on this host
    int local_ranks = 1;  ///< ranks of its world on this host
    bool spawned = false;
};

/// Entries of an environment. Rank 1 of 4 on a host that has ranks 0 and 1 gives PMI_FD=3
/// (os::Spawn::extra_becomes), PMI_RANK=1, PMI_SIZE=4, MPI_LOCALRANKID=1, MPI_LOCALNRANKS=2 and
/// PMI_HOSTNAME; a spawned one gets PMI_SPAWNED=1, too.
std::vector<std::string> pmi_environment(const RankPlace& place);

}  // namespace ductile::agent
