/**
 * \file
 * Makes each remaining MPI_COMM_WORLD a compiler error, in C and in C++.
 *
 * Include this header after all other headers: it affects the code that follows. The communicator
 * of the job changes at a resize. MPI_COMM_WORLD does not: it holds the ranks that started
 * together.
 */
#ifndef DUCTILE_NO_WORLD_H
#define DUCTILE_NO_WORLD_H

#include <mpi.h>

#undef MPI_COMM_WORLD
/** A compiler error that names what to use instead. */
#define MPI_COMM_WORLD                                                                           \
    _Pragma(                                                                                     \
        "GCC error \"MPI_COMM_WORLD is not the job: use job.comm(), or ductile_job_comm(job)\"") \
        MPI_COMM_NULL

#endif
