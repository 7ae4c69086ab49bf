// The demo itself: a program is grown and shrunk from outside, and what came of it is checked.
#pragma once

#include "cli/demo/demo_options.hpp"
#include "cli/demo/stage.hpp"

namespace ductile::cli::demo {

/// Returns the exit code: 0 when the result is that of a run at fixed size, bit for bit, and each
/// host that was left held no process of the job; 1 when not; 128 + signal when it was interrupted.
/// Throws SystemError when the job cannot be run to its end.
int show(const DemoOptions& options, const Stage& stage);

}  // namespace ductile::cli::demo
