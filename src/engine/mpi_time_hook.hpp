// What a preloaded libductile_mpi_time measures (src/check).
#pragma once

#include "ductile/error.hpp"

extern "C" {
/// The seconds that the calling thread has spent in calls of MPI so far. Null without that library.
DUCTILE_PUBLIC double ductile_mpi_seconds() __attribute__((weak));
}
