// How many groups of a job can be started by its ranks.
#pragma once

namespace ductile::core {

/// Only groups with ids below this have names for their hosts (wire/proxy_name.hpp), and
/// MPI_Comm_spawn needs one.
inline constexpr int named_groups = 1 << 16;

}  // namespace ductile::core
