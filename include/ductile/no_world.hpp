/// \file
/// Makes each remaining MPI_COMM_WORLD a compiler error. Include this header after all other
/// headers: it affects the code that follows.
#pragma once

#include "ductile/no_world.h"
