/**
 * \file
 * Makes a left-over MPI_COMM_WORLD an error of the compiler, in C and in C++.
 *
 * Include it after all other headers: it is about what follows in the file. The job's communicator
 * changes at a resize, and MPI_COMM_WORLD does not: it holds the ranks that were started together.
 */
#ifndef DUCTILE_NO_WORLD_H
#define DUCTILE_NO_WORLD_H

#include <mpi.h>

#undef MPI_COMM_WORLD
#define MPI_COMM_WORLD                                                                           \
    _Pragma(                                                                                     \
        "GCC error \"MPI_COMM_WORLD is not the job: use job.comm(), or ductile_job_comm(job)\"") \
        MPI_COMM_NULL

#endif
