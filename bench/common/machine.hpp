// The machine and the versions that a result was measured with.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace ductile::bench {

/// Processor, cores, memory, kernel, and the present load.
nlohmann::json describe_machine();
/// Ductile, the MPI, the compiler.
nlohmann::json describe_versions();
/// Average number of processes that wanted a core in the last minute.
double load_now();

}  // namespace ductile::bench
