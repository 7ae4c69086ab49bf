/**
 * \file
 * Programs that are written for MaM (the malleability module of Proteo), on Ductile. docs/mam.md
 * says what is the same and what is not.
 *
 *     MPI_Comm comm = MPI_COMM_WORLD;
 *     if (MAM_Init(0, &comm, argv[0], NULL, NULL) == MAM_TARGETS) {     // an added process
 *         MAM_Data_get_pointer((void**)&u, 0, &n, NULL, MAM_DATA_DISTRIBUTED, MAM_DATA_VARIABLE);
 *     } else {
 *         MAM_Data_add(u, NULL, n, MPI_DOUBLE, MAM_DATA_DISTRIBUTED, MAM_DATA_VARIABLE);
 *     }
 *     ...
 *     MAM_Set_target_number(8);                   // all processes say the same
 *     do {
 *         iterate(comm, u);
 *         MAM_Checkpoint(&state, MAM_CHECK_COMPLETION, NULL, NULL);
 *     } while (state == MAM_PENDING);
 *     if (state == MAM_COMPLETED) ...             // another `comm`: ask MAM_Data_get_pointer again
 *     MAM_Finalize();
 *     MPI_Finalize();
 *
 * Functions here are called by all processes of the communicator, by one thread of each. What goes
 * wrong and has no place in an answer is said on stderr, and ends the program by MPI_Abort.
 */
#ifndef DUCTILE_COMPAT_MAM_H
#define DUCTILE_COMPAT_MAM_H

#include <mpi.h>
#include <stddef.h>
/* Programs get these from MaM's header, too. */
#include <stdio.h>
#include <stdlib.h>

#include "ductile/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MAM_OK 0
#define MAM_DENIED (-1)

/** What MAM_Checkpoint says. */
enum mam_states {
    MAM_UNRESERVED,   /**< before MAM_Init and after MAM_Finalize */
    MAM_NOT_STARTED,  /**< no resize was asked for, or it was refused or given up */
    MAM_PENDING,      /**< a resize that was asked for is under way */
    MAM_USER_PENDING, /**< not said: MAM_Checkpoint waits for the user function */
    MAM_COMPLETED     /**< this call has resized the job */
};

/** Of a resize, for a user function. */
typedef struct {
    int numS, numT; /**< processes before and after */
    int rank_state; /**< one of enum mam_proc_states */
    MPI_Comm comm;
} mam_user_reconf_t;

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

/* Names of variables in the environment, with defaults for the keys. */
#define MAM_SPAWN_METHOD_ENV "MAM_SPAWN_METHOD"
#define MAM_SPAWN_STRATS_ENV "MAM_SPAWN_STRATS"
#define MAM_PHYSICAL_DISTRIBUTION_METHOD_ENV "MAM_PHYSICAL_DISTRIBUTION_METHOD"
#define MAM_RED_METHOD_ENV "MAM_RED_METHOD"
#define MAM_RED_STRATS_ENV "MAM_RED_STRATS"
#define MAM_NUM_TARGETS_ENV "MAM_NUM_TARGETS"

/** Makes this process a member. Answers MAM_SOURCES in one that was there when the job began; in
 * one that was added it returns when all data has arrived, and answers MAM_TARGETS. `*comm` becomes
 * the program's own communicator of all members, and another one at each resize; the program may
 * free the last one. MPI runs with MPI_THREAD_MULTIPLE, or is initialised here. `root` and
 * `name_exec` are not used. `user_function`, which may be NULL, moves what is not given to
 * MAM_Data_add: in a process that was added it is called before this returns, again and again until
 * it has called MAM_Resume_redistribution. All processes pass a function here, or none does; those
 * that are there already take part with the function of their MAM_Checkpoint. */
DUCTILE_C_PUBLIC int MAM_Init(int root, MPI_Comm* comm, char* name_exec,
                              void (*user_function)(void*), void* user_args);
/** Ends the membership; a process that ends without it has failed. Answers 0: the program has
 * nothing to abort. */
DUCTILE_C_PUBLIC int MAM_Finalize(void);
/** The place where the job may be resized. Asks for the target number, if one was set; then, with
 * MAM_WAIT_COMPLETION, waits until the resize is done or refused. A process that is no member
 * afterwards does not return: it finalises MPI and exits with code 0. Answers MAM_DENIED when the
 * resize was refused or given up. At a resize `user_function` is called as in MAM_Init, after
 * the data of MAM_Data_add has moved; where processes are added another thread may make the call.
 * What it reads is to stay as it is: at a growth the resize may still be given up. */
DUCTILE_C_PUBLIC int MAM_Checkpoint(int* mam_state, int wait_completed,
                                    void (*user_function)(void*), void* user_args);
/** Ends the phase of a user function on this process: the function is not called again. Of the
 * thread that runs the function. */
DUCTILE_C_PUBLIC void MAM_Resume_redistribution(int* mam_state);
/** In a user function, on its thread: who takes part. `comm` has all sources, by their ranks, and
 * then all new processes; it is the library's, and not to be used after the phase. Answers
 * MAM_DENIED elsewhere. */
DUCTILE_C_PUBLIC int MAM_Get_Reconf_Info(mam_user_reconf_t* reconf_info);

/** Gives data into the job's care: `total_qty` elements in all. Of distributed data `data` has this
 * process's block: processes hold equal blocks, the first total_qty % size one element more. The
 * elements of `type` lie one after the other. After a resize distributed data is in other memory
 * (MAM_Data_get_pointer), which belongs to the program and is freed by free(); what the program had
 * stays its own, too. `index`, which may be NULL, is the number among data of this kind. */
DUCTILE_C_PUBLIC void MAM_Data_add(void* data, size_t* index, size_t total_qty, MPI_Datatype type,
                                   int is_replicated, int is_constant);
/** Other memory, amount or type in place of what was added. */
DUCTILE_C_PUBLIC void MAM_Data_modify(void* data, size_t index, size_t total_qty, MPI_Datatype type,
                                      int is_replicated, int is_constant);
DUCTILE_C_PUBLIC void MAM_Data_get_entries(int is_replicated, int is_constant, size_t* entries);
/** `total_qty` and `type` may be NULL. In an added process a derived type is one of as many bytes
 * without structure. */
DUCTILE_C_PUBLIC void MAM_Data_get_pointer(void** data, size_t index, size_t* total_qty,
                                           MPI_Datatype* type, int is_replicated, int is_constant);

/** The number of processes to which the next MAM_Checkpoint resizes the job; of the present one it
 * makes fresh processes. Answers the number, or MAM_DENIED for 0 and while a resize is under way.
 */
DUCTILE_C_PUBLIC int MAM_Set_target_number(unsigned int target_number);
/** Of these settings the spawn method, the redistribution method and its strategies count, for the
 * next resize (docs/mam.md). The others are kept, and answered. */
DUCTILE_C_PUBLIC void MAM_Set_configuration(int spawn_method, int spawn_strategies, int spawn_dist,
                                            int red_method, int red_strategies);
DUCTILE_C_PUBLIC void MAM_Set_key_configuration(int key, int required, int* provided);
DUCTILE_C_PUBLIC int MAM_Contains_strat(int key, unsigned int strategy, int* result);
DUCTILE_C_PUBLIC void MAM_Use_valgrind(int flag);
DUCTILE_C_PUBLIC void MAM_Use_extrae(int flag);

/** Seconds of the last resize: from the request until the processes met; moving the data; in the
 * user function; all in all. Others are 0. Each pointer may be NULL. */
DUCTILE_C_PUBLIC void MAM_Retrieve_times(double* rms_time, double* spawn_time, double* sync_time,
                                         double* async_time, double* user_time,
                                         double* malleability_time);

/** MPI_Init with the thread level that MAM_Init needs. */
DUCTILE_C_PUBLIC int ductile_mam_init_mpi(int* argc, char*** argv);

#ifdef __cplusplus
}
#endif

/* Forms with fewer arguments, by their number. */
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
