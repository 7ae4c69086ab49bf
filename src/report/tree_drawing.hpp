// Pictures of how a group is made, level by level (`ductile trees draw`): Figures 1 to 4 of
// balanced-spanning-trees. Pure.
#pragma once

#include <string>

#include "sim/staged_build.hpp"

namespace ductile::report {

/// The caption of a stage, in one or two sentences: "Level 1 has reported: 7 fills hole 2".
std::string caption_of(const sim::StagedBuild& build, const sim::Stage& stage);

/// All stages for a terminal: each process is on its own line; members are [7], holes (7).
std::string draw_text(const sim::StagedBuild& build);
/// In the language of Graphviz: one digraph with a cluster for each stage.
std::string draw_dot(const sim::StagedBuild& build);
/// One SVG image with the stages below each other. Members are filled, holes are dashed.
std::string draw_svg(const sim::StagedBuild& build);

}  // namespace ductile::report
