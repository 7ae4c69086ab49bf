// Checks the options of a group, and chooses how to make it.
#pragma once

#include <optional>

#include "ductile/process_group.hpp"
#include "tree/method.hpp"
#include "tree/tree_position.hpp"

namespace ductile {

/// Throws InputError for values out of bounds, and for options that exclude each other.
void check_options(const GroupOptions& options);
/// The method for a parent group of `parents` processes.
tree::Method method_for(const GroupOptions& options, int parents);
/// The algorithm that made a group, as the program names it.
GroupAlgorithm name_of(tree::Algorithm algorithm);

/// A negative colour counts as none until all processes have enrolled. Then require_colour() throws
/// InputError if the colour is not MPI_UNDEFINED.
std::optional<tree::Colour> colour_of(GroupColour colour);
std::optional<tree::Colour> colour_of(bool member);
void require_colour(GroupColour colour);

}  // namespace ductile
