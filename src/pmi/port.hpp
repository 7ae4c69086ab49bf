// How an MPI program that finds its process manager by PMI_PORT and PMI_ID begins to speak PMI-1.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ductile::pmi {

/// The number in "cmd=initack pmiid=7", the first line of the program, as PMI_ID gave it. nullopt:
/// this is no such line.
std::optional<int> id_in(std::string_view line);

/// The answer, in four lines without the last newline: the size of the program's MPI_COMM_WORLD,
/// and its rank there. `init` comes next.
std::string greeting(int size, int rank);

}  // namespace ductile::pmi
