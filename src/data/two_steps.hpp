// Elements that differ in length move in two steps: their lengths, and then their values.
#pragma once

#include "data/redistribution.hpp"

namespace ductile::data {

/// What goes first: arrays of one element size as they are, and of the others the lengths, as an
/// array of numbers. Throws as make_block does.
Movement first_step(const Movement& movement);

/// What goes then, once `first` has arrived: the values. Their new parts get memory, which is that
/// of the movement's new parts. Without an array whose elements differ in length it holds none.
Movement second_step(const Movement& movement, const Movement& first);

}  // namespace ductile::data
