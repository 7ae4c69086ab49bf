// Parts of arrays lie in pages of their own while checks are on. When a resize has made a new part,
// the old one's pages can be neither read nor written, so a span that the program has kept is found
// where it is used.
#pragma once

#include <functional>
#include <string>

namespace ductile::check {

/// From now on. `who`: this rank, as a message names it. The process that uses such a page says so
/// and ends. Once in a process.
void watch_memory(std::function<std::string()> who);

}  // namespace ductile::check
