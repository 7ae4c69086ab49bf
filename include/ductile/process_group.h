/**
 * \file
 * Process groups from C: members of a communicator that communicate together, with ranks that the
 * system gives. The same groups as ductile::ProcessGroup, whose header says more.
 *
 *     ductile_group *all, *even;
 *     ductile_group_of_comm(MPI_COMM_WORLD, NULL, &all);
 *     ductile_group_split(all, rank % 2 == 0 ? 0 : MPI_UNDEFINED, NULL, &even);
 *     if (ductile_group_member(even))
 *         ductile_group_allreduce(even, &mine, &sum, 1, MPI_DOUBLE, MPI_SUM);
 *     ductile_group_free(&even);
 *     ductile_group_free(&all);
 *
 * Every function but those that answer directly returns a code (ductile/error.h). MPI has
 * MPI_THREAD_MULTIPLE; groups end before MPI_Finalize.
 */
#ifndef DUCTILE_PROCESS_GROUP_H
#define DUCTILE_PROCESS_GROUP_H

#include <mpi.h>
#include <stdint.h>

#include "ductile/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ductile_group_algorithm {
    DUCTILE_GROUP_AUTOMATIC = 0,
    DUCTILE_GROUP_CENTRALIZED = 1,
    DUCTILE_GROUP_SHRINK_AND_BALANCE = 2,
    DUCTILE_GROUP_SHRINK_AND_HASH = 3
};

enum ductile_group_filler {
    DUCTILE_FILLER_AUTOMATIC = 0,
    DUCTILE_FILLER_NONE = 1,
    DUCTILE_FILLER_CHILD = 2,
    DUCTILE_FILLER_LEAF = 3
};

/** As ductile::GroupOptions; 0 in a field stands for its default. */
typedef struct {
    enum ductile_group_algorithm algorithm;
    enum ductile_group_filler filler;
    int branching;
    int by_host; /**< 1: one edge of the tree to each host */
    int64_t segment_bytes;
} ductile_group_options;

typedef struct ductile_group ductile_group;
typedef struct ductile_group_request ductile_group_request;

/** All processes of an intracommunicator. Collective. `options` may be NULL. The handle is NULL
 * after an error. */
DUCTILE_C_PUBLIC int ductile_group_of_comm(MPI_Comm comm, const ductile_group_options* options,
                                           ductile_group** group);
/** A group for each colour (0 or more); MPI_UNDEFINED: in none, and the handle only says so.
 * Collective over `parent`. `options` NULL: those of the parent. */
DUCTILE_C_PUBLIC int ductile_group_split(const ductile_group* parent, int colour,
                                         const ductile_group_options* options,
                                         ductile_group** group);
/** Sets the handle to NULL. All operations are complete. Local, but the last group that came of a
 * communicator waits, for a minute at most, until all processes have ended theirs. */
DUCTILE_C_PUBLIC int ductile_group_free(ductile_group** group);

/** 1 or 0; 0 once MPI_Finalize has ended the group, too. */
DUCTILE_C_PUBLIC int ductile_group_member(const ductile_group* group);
/** -1 where the process is no member. */
DUCTILE_C_PUBLIC int ductile_group_rank(const ductile_group* group);
DUCTILE_C_PUBLIC int ductile_group_size(const ductile_group* group);

/** Blocking operations, collective over the group. */
DUCTILE_C_PUBLIC int ductile_group_barrier(const ductile_group* group);
DUCTILE_C_PUBLIC int ductile_group_broadcast(const ductile_group* group, void* data, int64_t count,
                                             MPI_Datatype type, int root);
/** As broadcast, from the one member that says `mine`. */
DUCTILE_C_PUBLIC int ductile_group_share(const ductile_group* group, int mine, void* data,
                                         int64_t count, MPI_Datatype type);
DUCTILE_C_PUBLIC int ductile_group_reduce(const ductile_group* group, const void* in, void* out,
                                          int64_t count, MPI_Datatype type, MPI_Op op, int root);
DUCTILE_C_PUBLIC int ductile_group_allreduce(const ductile_group* group, const void* in, void* out,
                                             int64_t count, MPI_Datatype type, MPI_Op op);

/** The same, under way; complete after wait, or a test that says so, which frees the request and
 * sets its handle to NULL: that one is complete, too. */
DUCTILE_C_PUBLIC int ductile_group_start_barrier(const ductile_group* group,
                                                 ductile_group_request** request);
DUCTILE_C_PUBLIC int ductile_group_start_broadcast(const ductile_group* group, void* data,
                                                   int64_t count, MPI_Datatype type, int root,
                                                   ductile_group_request** request);
DUCTILE_C_PUBLIC int ductile_group_start_reduce(const ductile_group* group, const void* in,
                                                void* out, int64_t count, MPI_Datatype type,
                                                MPI_Op op, int root,
                                                ductile_group_request** request);
DUCTILE_C_PUBLIC int ductile_group_start_allreduce(const ductile_group* group, const void* in,
                                                   void* out, int64_t count, MPI_Datatype type,
                                                   MPI_Op op, ductile_group_request** request);
DUCTILE_C_PUBLIC int ductile_group_test(ductile_group_request** request, int* complete);
DUCTILE_C_PUBLIC int ductile_group_wait(ductile_group_request** request);

/** Messages by ranks of the group; `tag` is 0 to 15. Blocking. */
DUCTILE_C_PUBLIC int ductile_group_send(const ductile_group* group, const void* data, int64_t count,
                                        MPI_Datatype type, int to, int tag);
DUCTILE_C_PUBLIC int ductile_group_receive(const ductile_group* group, void* data, int64_t count,
                                           MPI_Datatype type, int from, int tag);

#ifdef __cplusplus
}
#endif

#endif
