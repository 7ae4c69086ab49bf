/**
 * \file
 * The functions of MaM (the malleability module of Proteo), for programs that are written for MaM.
 * docs/mam.md describes what differs from MaM.
 *
 *     MPI_Comm comm = MPI_COMM_WORLD;
 *     if (MAM_Init(0, &comm, argv[0], NULL, NULL) == MAM_TARGETS) {     // an added process
 *         MAM_Data_get_pointer((void**)&u, 0, &n, NULL, MAM_DATA_DISTRIBUTED, MAM_DATA_VARIABLE);
 *     } else {
 *         MAM_Data_add(u, NULL, n, MPI_DOUBLE, MAM_DATA_DISTRIBUTED, MAM_DATA_VARIABLE);
 *     }
 *     ...
 *     MAM_Set_target_number(8);                   // the same in all processes
 *     do {
 *         iterate(comm, u);
 *         MAM_Checkpoint(&state, MAM_CHECK_COMPLETION, NULL, NULL);
 *     } while (state == MAM_PENDING);
 *     if (state == MAM_COMPLETED) ...             // `comm` is new; call MAM_Data_get_pointer again
 *     MAM_Finalize();
 *     MPI_Finalize();
 *
 * All processes of the communicator call MAM_Init, MAM_Checkpoint, MAM_Finalize and the functions
 * that register or set something. One thread of a process makes all calls, except the calls inside
 * a user function. An error that no return value can report is printed on stderr and ends the
 * program by MPI_Abort.
 */
#ifndef DUCTILE_COMPAT_MAM_H
#define DUCTILE_COMPAT_MAM_H

#include <mpi.h>
#include <stddef.h>
/* MaM's header also includes these. */
#include <stdio.h>
#include <stdlib.h>

#include "ductile/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MAM_OK 0
#define MAM_DENIED (-1)

/** The states that MAM_Checkpoint returns in its first argument. */
enum mam_states {
    MAM_UNRESERVED,   /**< before MAM_Init and after MAM_Finalize */
    MAM_NOT_STARTED,  /**< the program requested no resize, or the resize was refused or given up */
    MAM_PENDING,      /**< a resize that the program requested is under way */
    MAM_USER_PENDING, /**< never returned: MAM_Checkpoint repeats the user function until it ends */
    MAM_COMPLETED     /**< this call has resized the job */
};

/** Describes a resize to a user function. */
typedef struct {
    int numS, numT; /**< the numbers of processes before and after the resize */
    int rank_state; /**< the role of this process: one of enum mam_proc_states */
    MPI_Comm comm;  /**< all old processes, and then all new processes */
} mam_user_reconf_t;

/** A process stays in the job, is new (or comes back from parking), or leaves (or parks). */
enum mam_proc_states { MAM_PROC_CONTINUE, MAM_PROC_NEW_RANK, MAM_PROC_ZOMBIE };
enum mam_spawn_methods { MAM_SPAWN_BASELINE, MAM_SPAWN_MERGE };
enum mam_spawn_strategies {
    MAM_STRAT_SPAWN_CLEAR,
    MAM_STRAT_SPAWN_PTHREAD,
    MAM_STRAT_SPAWN_SINGLE,
    MAM_STRAT_SPAWN_INTERCOMM,
    MAM_STRAT_SPAWN_MULTIPLE,
    MAM_STRAT_SPAWN_PARALLEL
};
enum mam_phy_dist_methods { MAM_PHY_DIST_SPREAD = 1, MAM_PHY_DIST_COMPACT };
enum mam_phy_info_methods { MAM_PHY_TYPE_STRING = 1, MAM_PHY_TYPE_HOSTFILE };
enum mam_redistribution_methods {
    MAM_RED_BASELINE,
    MAM_RED_POINT,
    MAM_RED_RMA_LOCK,
    MAM_RED_RMA_LOCKALL
};
enum mam_red_strategies {
    MAM_STRAT_RED_CLEAR,
    MAM_STRAT_RED_PTHREAD,
    MAM_STRAT_RED_WAIT_SOURCES,
    MAM_STRAT_RED_WAIT_TARGETS
};
enum mam_key_values {
    MAM_SPAWN_METHOD,
    MAM_SPAWN_STRATEGIES,
    MAM_PHYSICAL_DISTRIBUTION,
    MAM_RED_METHOD,
    MAM_RED_STRATEGIES,
    MAM_NUM_TARGETS
};

#define MAM_STRAT_CLEAR_VALUE 0
#define MAM_STRATS_ADDED 1
#define MAM_STRATS_MODIFIED 2
#define MAM_MASK_PTHREAD 0x01
#define MAM_MASK_SPAWN_SINGLE 0x02
#define MAM_MASK_SPAWN_INTERCOMM 0x04
#define MAM_MASK_SPAWN_MULTIPLE 0x08
#define MAM_MASK_SPAWN_PARALLEL 0x10
#define MAM_MASK_RED_WAIT_SOURCES 0x02
#define MAM_MASK_RED_WAIT_TARGETS 0x04

#define MAM_CHECK_COMPLETION 0
#define MAM_WAIT_COMPLETION 1
#define MAM_SOURCES 0
#define MAM_TARGETS 1
#define MAM_DATA_DISTRIBUTED 0
#define MAM_DATA_REPLICATED 1
#define MAM_DATA_VARIABLE 0
#define MAM_DATA_CONSTANT 1

/* Names of environment variables. Each variable sets the default of a key. */
#define MAM_SPAWN_METHOD_ENV "MAM_SPAWN_METHOD"
#define MAM_SPAWN_STRATS_ENV "MAM_SPAWN_STRATS"
#define MAM_PHYSICAL_DISTRIBUTION_METHOD_ENV "MAM_PHYSICAL_DISTRIBUTION_METHOD"
#define MAM_RED_METHOD_ENV "MAM_RED_METHOD"
#define MAM_RED_STRATS_ENV "MAM_RED_STRATS"
#define MAM_NUM_TARGETS_ENV "MAM_NUM_TARGETS"

/** Makes this process a member of the job. Returns MAM_SOURCES in a process with which the job
 * started. In an added process MAM_Init returns MAM_TARGETS, when all data has arrived. If MPI is
 * not initialised yet, MAM_Init initialises it. If it is, it must have MPI_THREAD_MULTIPLE.
 *
 * `*comm` becomes a communicator of all members. Each resize frees this communicator and replaces
 * it. The program may free the communicator that it has at the end. `root` and `name_exec` are not
 * used.
 *
 * `user_function` moves data that the program has not given to MAM_Data_add. It may be NULL. All
 * processes pass a function here, or no process does. In an added process MAM_Init calls the
 * function repeatedly, until the function has called MAM_Resume_redistribution, and only then
 * returns. Old processes use the function that they pass to MAM_Checkpoint. A parked process that
 * comes back uses the function that it passed here. */
DUCTILE_C_PUBLIC int MAM_Init(int root, MPI_Comm* comm, char* name_exec,
                              void (*user_function)(void*), void* user_args);
/** Ends the membership. A process that ends without this call has failed. Always returns 0. (In MaM
 * another value tells the program to call MPI_Abort.) */
DUCTILE_C_PUBLIC int MAM_Finalize(void);
/** The place where the job may be resized. If a target number is set, MAM_Checkpoint requests a
 * resize to this number. With MAM_WAIT_COMPLETION it then waits until the resize is done, refused
 * or given up. Writes the state to `*mam_state` (enum mam_states). Returns MAM_DENIED if the resize
 * was refused or given up, and before MAM_Init and after MAM_Finalize. In all other cases it
 * returns MAM_OK. In a process that leaves the job MAM_Checkpoint does not return: the process
 * finalises MPI and exits with code 0.
 *
 * At each resize MAM_Checkpoint calls `user_function` as MAM_Init does, after the data of
 * MAM_Data_add has moved. At a growth another thread may make the calls. The function must not
 * change the data that it sends, because a growth may still be rolled back after the calls. */
DUCTILE_C_PUBLIC int MAM_Checkpoint(int* mam_state, int wait_completed,
                                    void (*user_function)(void*), void* user_args);
/** Ends the phase of a user function on this process: the function is not called again. Call this
 * on the thread that runs the function. Writes MAM_PENDING to `*mam_state`, or MAM_NOT_STARTED if
 * no user function runs on this thread and no requested resize is under way. */
DUCTILE_C_PUBLIC void MAM_Resume_redistribution(int* mam_state);
/** Tells a user function, on its thread, who takes part in the resize. `comm` contains all old
 * processes, in the order of their ranks, and then all new processes. The library owns `comm`. Do
 * not use `comm` after the phase. Returns MAM_DENIED outside of a user function. */
DUCTILE_C_PUBLIC int MAM_Get_Reconf_Info(mam_user_reconf_t* reconf_info);

/** Registers data that Ductile moves at a resize. `total_qty` is the number of elements on all
 * processes together. For distributed data, `data` is the block of this process. Each process has
 * total_qty / size elements, and the first total_qty % size processes have one element more. For
 * replicated data, `data` is all elements. The elements of `type` lie one after the other.
 *
 * After a resize distributed data is in new memory: call MAM_Data_get_pointer. The program owns the
 * new memory and frees it by free(). The program also still owns the memory that it had before. If
 * `index` is not NULL, MAM_Data_add writes the number of this data there. Each combination of
 * `is_replicated` and `is_constant` has its own numbers, from 0. */
DUCTILE_C_PUBLIC void MAM_Data_add(void* data, size_t* index, size_t total_qty, MPI_Datatype type,
                                   int is_replicated, int is_constant);
/** Replaces the memory, the number of elements and the type of data that was added. */
DUCTILE_C_PUBLIC void MAM_Data_modify(void* data, size_t index, size_t total_qty, MPI_Datatype type,
                                      int is_replicated, int is_constant);
/** Writes to `*entries` how many data were added with this combination of `is_replicated` and
 * `is_constant`. */
DUCTILE_C_PUBLIC void MAM_Data_get_entries(int is_replicated, int is_constant, size_t* entries);
/** Writes the memory of data, its number of elements and its type. `total_qty` and `type` may be
 * NULL. In an added process, `*type` is a type of bytes in place of a derived type. If only parts
 * of an element move, this type has the same gaps as the derived type. Otherwise it has no gaps. */
DUCTILE_C_PUBLIC void MAM_Data_get_pointer(void** data, size_t index, size_t* total_qty,
                                           MPI_Datatype* type, int is_replicated, int is_constant);

/** Sets the number of processes that the next MAM_Checkpoint requests. If this is the present
 * number, fresh processes replace all processes. Only the number of process 0 is used. Returns the
 * number. Returns MAM_DENIED for 0, for more than 1,048,576, and in the state MAM_PENDING. */
DUCTILE_C_PUBLIC int MAM_Set_target_number(unsigned int target_number);
/** Sets how the next resize works. Ductile uses the spawn method, the redistribution method and the
 * redistribution strategies (docs/mam.md). The other settings are stored and returned, but not
 * used. The call is ignored in the state MAM_PENDING. */
DUCTILE_C_PUBLIC void MAM_Set_configuration(int spawn_method, int spawn_strategies, int spawn_dist,
                                            int red_method, int red_strategies);
/** Sets one key (enum mam_key_values). Writes the resulting value to `*provided`. If the key is one
 * of strategies, writes one of these instead: MAM_STRATS_ADDED, MAM_STRATS_MODIFIED, or MAM_OK (the
 * strategy was set already). Writes MAM_DENIED for an unknown key, for a negative value, and in the
 * state MAM_PENDING. */
DUCTILE_C_PUBLIC void MAM_Set_key_configuration(int key, int required, int* provided);
/** Returns 1 if this strategy of the key is set, otherwise 0. `*result` gets the same value. */
DUCTILE_C_PUBLIC int MAM_Contains_strat(int key, unsigned int strategy, int* result);
/** Does nothing. */
DUCTILE_C_PUBLIC void MAM_Use_valgrind(int flag);
/** Does nothing. */
DUCTILE_C_PUBLIC void MAM_Use_extrae(int flag);

/** Writes times of the last resize, in seconds. `spawn_time`: from the request until the processes
 * join. `sync_time`: the switch with its data. `user_time`: in the user function.
 * `malleability_time`: all together. `rms_time` and `async_time` are 0. In a new process
 * `sync_time` is 0. Each pointer may be NULL. */
DUCTILE_C_PUBLIC void MAM_Retrieve_times(double* rms_time, double* spawn_time, double* sync_time,
                                         double* async_time, double* user_time,
                                         double* malleability_time);

/** Initialises MPI with the thread level that MAM_Init needs. The macro MPI_Init calls this. */
DUCTILE_C_PUBLIC int ductile_mam_init_mpi(int* argc, char*** argv);

#ifdef __cplusplus
}
#endif

/* Forms with fewer arguments. The number of arguments selects the form. */
#define DUCTILE_MAM_SEVENTH(a, b, c, d, e, f, name, ...) name
#define DUCTILE_MAM_INIT_1(comm) (MAM_Init)(0, (comm), NULL, NULL, NULL)
#define MAM_Init(...)                                                                     \
    DUCTILE_MAM_SEVENTH(__VA_ARGS__, ~, (MAM_Init), MAM_Init_takes_1_or_5_arguments,      \
                        MAM_Init_takes_1_or_5_arguments, MAM_Init_takes_1_or_5_arguments, \
                        DUCTILE_MAM_INIT_1, ~)                                            \
    (__VA_ARGS__)
#define DUCTILE_MAM_CHECKPOINT_2(state, wait) (MAM_Checkpoint)((state), (wait), NULL, NULL)
#define MAM_Checkpoint(...)                                                              \
    DUCTILE_MAM_SEVENTH(__VA_ARGS__, ~, ~, (MAM_Checkpoint),                             \
                        MAM_Checkpoint_takes_2_or_4_arguments, DUCTILE_MAM_CHECKPOINT_2, \
                        MAM_Checkpoint_takes_2_or_4_arguments, ~)                        \
    (__VA_ARGS__)
#define DUCTILE_MAM_TIMES_4(sp, sy, asy, mall) \
    (MAM_Retrieve_times)(NULL, (sp), (sy), (asy), NULL, (mall))
#define DUCTILE_MAM_TIMES_5(sp, sy, asy, user, mall) \
    (MAM_Retrieve_times)(NULL, (sp), (sy), (asy), (user), (mall))
#define MAM_Retrieve_times(...)                                                         \
    DUCTILE_MAM_SEVENTH(__VA_ARGS__, (MAM_Retrieve_times), DUCTILE_MAM_TIMES_5,         \
                        DUCTILE_MAM_TIMES_4, MAM_Retrieve_times_takes_4_to_6_arguments, \
                        MAM_Retrieve_times_takes_4_to_6_arguments,                      \
                        MAM_Retrieve_times_takes_4_to_6_arguments, ~)                   \
    (__VA_ARGS__)
#define MPI_Init(argc, argv) ductile_mam_init_mpi((argc), (argv))

#endif
