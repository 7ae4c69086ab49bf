/// \file
/// Makes a left-over MPI_COMM_WORLD an error of the compiler. Include it after all other headers:
/// it is about what follows in the file.
#pragma once

#include "ductile/no_world.h"
