// The options of a group, checked, as a way to make it.
#pragma once

#include <optional>

#include "ductile/process_group.hpp"
#include "tree/method.hpp"
#include "tree/tree_position.hpp"

namespace ductile {

/// Throws InputError for what is out of its bounds or does not go together.
void check_options(const GroupOptions& options);
/// For a parent of so many processes.
tree::Method method_for(const GroupOptions& options, int parents);
/// What made it, as the program names it.
GroupAlgorithm name_of(tree::Algorithm algorithm);

/// A colour that cannot be is none, until all have enrolled: then require_colour says so.
std::optional<tree::Colour> colour_of(GroupColour colour);
std::optional<tree::Colour> colour_of(bool member);
void require_colour(GroupColour colour);

}  // namespace ductile
