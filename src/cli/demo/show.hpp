// The demo itself: it grows and shrinks a program from outside, and checks the result.
#pragma once

#include "cli/demo/demo_options.hpp"
#include "cli/demo/stage.hpp"

namespace ductile::cli::demo {

/// Returns the exit code. 0: all checks passed. The result is that of a run at fixed size (heat:
/// the same bytes, mpdata: the same checksum), no process of the job ran on a host that the job had
/// left, and on logical hosts the job had one agent for each host. 1: a check failed. 128 + signal:
/// interrupted. Throws SystemError when the job cannot be run to its end.
int show(const DemoOptions& options, const Stage& stage);

}  // namespace ductile::cli::demo
