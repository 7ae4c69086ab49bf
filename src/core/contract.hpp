// Preconditions and postconditions, as headers state them. They are checked in builds without
// NDEBUG (presets `dev` and `asan`): one that does not hold ends the process with a line that names
// it. What comes from outside - a user, a file, another process - is never checked by them.
#pragma once

#include <cassert>

/// What the caller must see to.
#define DUCTILE_EXPECT(condition) assert((condition) && "precondition")
/// What the function gives.
#define DUCTILE_ENSURE(condition) assert((condition) && "postcondition")
