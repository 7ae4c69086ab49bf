// Names of worlds.
#pragma once

#include "pmi/kvsname.hpp"

namespace ductile::broker {

/// A random name. No other world has it, in this job or another job.
pmi::KvsName new_world_name();

}  // namespace ductile::broker
