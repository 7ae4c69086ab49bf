// Elements that differ in length move in two steps: first their lengths, then their values.
#pragma once

#include "data/redistribution.hpp"

namespace ductile::data {

/// The first step: arrays of one element size as they are, and the lengths of the others as an
/// array of numbers. Throws as make_block does.
Movement first_step(const Movement& movement);

/// The second step, after `first` has arrived: the values. Allocates memory for the new parts,
/// which the movement's new parts share. Without arrays whose elements differ in length it is
/// empty.
Movement second_step(const Movement& movement, const Movement& first);

}  // namespace ductile::data
