// The network of this host.
#pragma once

#include <string>

namespace ductile::rms {

/// Whether the kernel knows a device of a fast network (InfiniBand, RoCE, EFA, Omni-Path,
/// Slingshot). If so, the MPI chooses the right network by itself, and Ductile sets no environment
/// variables for plain TCP. `root`: the root of the file system.
[[nodiscard]] bool has_fast_network(const std::string& root = "");

}  // namespace ductile::rms
