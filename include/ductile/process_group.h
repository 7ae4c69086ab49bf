/**
 * \file
 * Process groups from C: members of a communicator that communicate together. Ductile chooses their
 * ranks. These are the groups of ductile::ProcessGroup, whose header describes them in detail.
 *
 *     ductile_group *all, *even;
 *     ductile_group_of_comm(MPI_COMM_WORLD, NULL, &all);
 *     ductile_group_split(all, rank % 2 == 0 ? 0 : MPI_UNDEFINED, NULL, &even);
 *     if (ductile_group_member(even))
 *         ductile_group_allreduce(even, &mine, &sum, 1, MPI_DOUBLE, MPI_SUM);
 *     ductile_group_free(&even);
 *     ductile_group_free(&all);
 *
 * Every function returns a code (ductile/error.h), except functions that are answered directly. MPI
 * must have MPI_THREAD_MULTIPLE. Free groups before MPI_Finalize.
 */
#ifndef DUCTILE_PROCESS_GROUP_H
#define DUCTILE_PROCESS_GROUP_H

#include <mpi.h>
#include <stdint.h>

#include "ductile/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/** As ductile::GroupAlgorithm. */
enum ductile_group_algorithm {
    DUCTILE_GROUP_AUTOMATIC = 0,
    DUCTILE_GROUP_CENTRALIZED = 1,
    DUCTILE_GROUP_SHRINK_AND_BALANCE = 2,
    DUCTILE_GROUP_SHRINK_AND_HASH = 3
};

/** As ductile::GroupFiller. */
enum ductile_group_filler {
    DUCTILE_FILLER_AUTOMATIC = 0,
    DUCTILE_FILLER_NONE = 1,
    DUCTILE_FILLER_CHILD = 2,
    DUCTILE_FILLER_LEAF = 3
};

/** As ductile::GroupOptions. 0 in a field means the default. */
typedef struct {
    enum ductile_group_algorithm algorithm; /**< how the tree is constructed */
    enum ductile_group_filler filler;       /**< which processes take the places of non-members */
    int branching;                          /**< the maximum number of children */
    int by_host;                            /**< 1: one edge of the tree to each host */
    int64_t segment_bytes;                  /**< longer messages go in pieces */
} ductile_group_options;

/** A group. A process that is not a member also has a handle. */
typedef struct ductile_group ductile_group;
/** An operation of a group in progress. */
typedef struct ductile_group_request ductile_group_request;

/** Makes a group of all processes of an intracommunicator. Collective. `options` may be NULL. After
 * an error the handle is NULL. */
DUCTILE_C_PUBLIC int ductile_group_of_comm(MPI_Comm comm, const ductile_group_options* options,
                                           ductile_group** group);
/** Makes a group for each colour (0 or more). A process with MPI_UNDEFINED is in no group.
 * Collective over `parent`. `options` NULL: the options of the parent. */
DUCTILE_C_PUBLIC int ductile_group_split(const ductile_group* parent, int colour,
                                         const ductile_group_options* options,
                                         ductile_group** group);
/** Ends the group and sets the handle to NULL. All operations must be complete. Local, except for
 * the last group of a communicator: it waits up to a minute until all processes have ended their
 * groups of this communicator.
 */
DUCTILE_C_PUBLIC int ductile_group_free(ductile_group** group);

/** Answered directly: 1 if the process is a member, else 0. Also 0 after MPI_Finalize, and from a
 * resize until ductile_group_renew. */
DUCTILE_C_PUBLIC int ductile_group_member(const ductile_group* group);
/** Answered directly: the rank; -1 if the process is not a member. */
DUCTILE_C_PUBLIC int ductile_group_rank(const ductile_group* group);
/** Answered directly: the number of members; -1 if the process is not a member. */
DUCTILE_C_PUBLIC int ductile_group_size(const ductile_group* group);

/** Blocks until all members have called it. This function and those up to
 * ductile_group_start_allreduce are collective over the group. */
DUCTILE_C_PUBLIC int ductile_group_barrier(const ductile_group* group);
/** Sends `data` of rank `root` to all members. */
DUCTILE_C_PUBLIC int ductile_group_broadcast(const ductile_group* group, void* data, int64_t count,
                                             MPI_Datatype type, int root);
/** The same, from the one member that passes `mine` as 1. */
DUCTILE_C_PUBLIC int ductile_group_share(const ductile_group* group, int mine, void* data,
                                         int64_t count, MPI_Datatype type);
/** Combines `in` of all members, element by element, into `out` of rank `root`
 * (ductile::ProcessGroup::reduce). */
DUCTILE_C_PUBLIC int ductile_group_reduce(const ductile_group* group, const void* in, void* out,
                                          int64_t count, MPI_Datatype type, MPI_Op op, int root);
/** The same, into `out` of all members. */
DUCTILE_C_PUBLIC int ductile_group_allreduce(const ductile_group* group, const void* in, void* out,
                                             int64_t count, MPI_Datatype type, MPI_Op op);

/** Starts ductile_group_barrier, and does not block. When ductile_group_wait or ductile_group_test
 * completes the request, it frees the request and sets the handle to NULL. NULL is complete. */
DUCTILE_C_PUBLIC int ductile_group_start_barrier(const ductile_group* group,
                                                 ductile_group_request** request);
/** Starts ductile_group_broadcast, and does not block. */
DUCTILE_C_PUBLIC int ductile_group_start_broadcast(const ductile_group* group, void* data,
                                                   int64_t count, MPI_Datatype type, int root,
                                                   ductile_group_request** request);
/** Starts ductile_group_reduce, and does not block. */
DUCTILE_C_PUBLIC int ductile_group_start_reduce(const ductile_group* group, const void* in,
                                                void* out, int64_t count, MPI_Datatype type,
                                                MPI_Op op, int root,
                                                ductile_group_request** request);
/** Starts ductile_group_allreduce, and does not block. */
DUCTILE_C_PUBLIC int ductile_group_start_allreduce(const ductile_group* group, const void* in,
                                                   void* out, int64_t count, MPI_Datatype type,
                                                   MPI_Op op, ductile_group_request** request);
/** Sets `complete` to 1 when the operation is complete here, else to 0. */
DUCTILE_C_PUBLIC int ductile_group_test(ductile_group_request** request, int* complete);
/** Waits until the operation is complete here. */
DUCTILE_C_PUBLIC int ductile_group_wait(ductile_group_request** request);

/** Sends a message to the rank `to` of the group. `tag` is 0 to 15. Blocking. */
DUCTILE_C_PUBLIC int ductile_group_send(const ductile_group* group, const void* data, int64_t count,
                                        MPI_Datatype type, int to, int tag);
/** The other side of ductile_group_send. */
DUCTILE_C_PUBLIC int ductile_group_receive(const ductile_group* group, void* data, int64_t count,
                                           MPI_Datatype type, int from, int tag);

#ifdef __cplusplus
}
#endif

#endif
