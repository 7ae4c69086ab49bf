// What the options of `ductile run` say about a job.
#pragma once

#include "broker/job_spec.hpp"
#include "cli/settings.hpp"

namespace ductile::cli {

/// All of the spec except the launch, the id, the options and the origin. Throws InputError that
/// names the option.
broker::JobSpec read_spec(Settings& settings, const mpi::Capabilities& mpi);

}  // namespace ductile::cli
