// Describes an array in a message.
#pragma once

#include <string>

#include "data/block.hpp"

namespace ductile::data {

/// "10 elements of 3 x d, by 'blocks'".
std::string describe(const ArraySpec& spec);

}  // namespace ductile::data
