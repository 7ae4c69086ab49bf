// What network this host has.
#pragma once

#include <string>

namespace ductile::rms {

/// Whether the kernel knows a device of a fast network (InfiniBand, RoCE, EFA, Omni-Path,
/// Slingshot): then the MPI's own choice of provider is the right one. `root`: of the file system.
[[nodiscard]] bool has_fast_network(const std::string& root = "");

}  // namespace ductile::rms
