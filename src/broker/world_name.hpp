// Names of worlds.
#pragma once

#include "pmi/kvsname.hpp"

namespace ductile::broker {

/// Random: no other world, of this job or another one, has it.
pmi::KvsName new_world_name();

}  // namespace ductile::broker
