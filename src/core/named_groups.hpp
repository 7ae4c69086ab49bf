// The limit for groups that MPI_Comm_spawn starts.
#pragma once

namespace ductile::core {

/// MPI_Comm_spawn gets made-up names for the hosts of the new group (wire/proxy_name.hpp). Only
/// groups with ids below this number can have such names.
inline constexpr int named_groups = 1 << 16;

}  // namespace ductile::core
