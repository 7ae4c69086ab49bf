// dmr_world_program.c, compiled as C++.
#include "dmr_world_program.c"  // NOLINT(bugprone-suspicious-include)
