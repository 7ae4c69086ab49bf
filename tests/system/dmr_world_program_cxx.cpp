// The same program, as C++.
#include "dmr_world_program.c"  // NOLINT(bugprone-suspicious-include)
