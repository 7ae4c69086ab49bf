// Checks of the preconditions and postconditions that headers state. Only builds without NDEBUG
// (presets `dev`, `asan`, `tsan`, `coverage` and `fuzz`) check them. A condition that does not hold
// ends the process, with a line that names the condition. Never use these checks for input from a
// user, a file or another process.
#pragma once

#include <cassert>

/// A condition that the caller must ensure.
#define DUCTILE_EXPECT(condition) assert((condition) && "precondition")
/// A condition that the function ensures.
#define DUCTILE_ENSURE(condition) assert((condition) && "postcondition")
