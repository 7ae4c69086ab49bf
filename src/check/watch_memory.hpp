// While checks are on, each part of an array has pages of its own. When a resize has made a new
// part, the pages of the old part can neither be read nor written. The pages of a frozen array
// cannot be written. So a wrong use of an array is found at the place of the use.
#pragma once

#include <functional>
#include <string>

namespace ductile::check {

/// Watches memory from now on. `who`: names this rank in messages. A process that uses a forbidden
/// page reports this and ends. Call it once in a process.
void watch_memory(std::function<std::string()> who);

}  // namespace ductile::check
