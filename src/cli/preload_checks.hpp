// `ductile run --check` and --check-after.
#pragma once

#include "broker/launch_spec.hpp"
#include "cli/settings.hpp"

namespace ductile::cli {

/// The ranks get a library whose MPI calls stand before those of the MPI (src/check), if the
/// settings say so. Throws InputError that names the setting.
void preload_checks(Settings& settings, broker::LaunchSpec& launch);

}  // namespace ductile::cli
