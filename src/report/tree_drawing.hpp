// The making of a group, level by level, as pictures (`ductile trees draw`): Figures 1 to 4 of
// balanced-spanning-trees. Pure.
#pragma once

#include <string>

#include "sim/staged_build.hpp"

namespace ductile::report {

/// What a stage shows, in a sentence or two: "Level 1 has spoken: 7 fills hole 2".
std::string caption_of(const sim::StagedBuild& build, const sim::Stage& stage);

/// All stages for a terminal: a process a line below the one above it, members as [7], holes as
/// (7).
std::string draw_text(const sim::StagedBuild& build);
/// In Graphviz' language: one digraph, a cluster for each stage.
std::string draw_dot(const sim::StagedBuild& build);
/// One SVG image with the stages below each other: members filled, holes dashed.
std::string draw_svg(const sim::StagedBuild& build);

}  // namespace ductile::report
