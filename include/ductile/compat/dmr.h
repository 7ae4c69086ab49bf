/**
 * \file
 * The macros DMR_INIT, DMR_RECONFIGURATION and DMR_FINALIZE, and the functions of DMR, for programs
 * that are written for DMR. docs/dmr.md describes what differs from DMR.
 *
 *     MPI_Init(&argc, &argv);
 *     DMR_INIT(initialise(), receive());          // added processes run the second argument
 *     DMR_Set_parameters(2, 16);
 *     DMR_Inhibit_iter(10);
 *     while (DMR_it < steps) {
 *         advance();
 *         ++DMR_it;
 *         DMR_RECONFIGURATION(redistribute());    // a resize happens here
 *     }
 *     DMR_FINALIZE(release());
 *     MPI_Finalize();
 *
 * There are two back ends:
 * - `mam` (the default): Ductile redistributes the data. The program gives its data to MAM_Data_add
 *   (compat/mam.h). The communicator of the program is DMR_COMM.
 * - `dmrlib` (if the program defines DUCTILE_DMR_DMRLIB before it includes this file): the program
 *   redistributes the data. A resize replaces all processes. Old processes send within
 *   DMR_RECONFIGURATION, new processes receive within DMR_INIT, both over DMR_INTERCOMM.
 *   MPI_COMM_WORLD always has the processes of the job.
 *
 * All processes make the same calls in the same order. One thread of each process makes all calls.
 * An error is printed on stderr and ends the program by MPI_Abort.
 */
#ifndef DUCTILE_COMPAT_DMR_H
#define DUCTILE_COMPAT_DMR_H

#include "mam.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The number of steps, which the program counts. An added process begins with the count of process
 * 0. */
DUCTILE_C_PUBLIC extern int DMR_it;
/** The communicator of the job's processes. With `mam`, each resize replaces it, and DMR_FINALIZE
 * frees it. With `dmrlib`, it is MPI_COMM_WORLD. */
DUCTILE_C_PUBLIC extern MPI_Comm DMR_COMM;
/** With `dmrlib`, during a redistribution: an intercommunicator to the processes of the other side
 * (new processes for an old process, old processes for a new process). Otherwise MPI_COMM_NULL. */
DUCTILE_C_PUBLIC extern MPI_Comm DMR_INTERCOMM;
/** The rank of this process in DMR_COMM, the size of DMR_COMM, and the size before the last resize
 * (0 before the first resize). */
DUCTILE_C_PUBLIC extern int DMR_comm_rank, DMR_comm_size, DMR_comm_prev_size;
/** During a redistribution: 2 if the job shrinks, otherwise 1. At all other times 0. */
DUCTILE_C_PUBLIC extern int DMR_action;
/** The limits that the program last passed to DMR_Set_parameters or DMR_Reconfiguration. */
DUCTILE_C_PUBLIC extern int DMR_min, DMR_max, DMR_pref;
/** With `mam`: the last state of MAM_Checkpoint, and the result of MAM_Init. */
DUCTILE_C_PUBLIC extern int MaM_state, MaM_is_children;

/** From now on, only every `steps`-th DMR_RECONFIGURATION checks for a resize. */
DUCTILE_C_PUBLIC void DMR_Inhibit_iter(int steps);
/** Allows no resize for this time after a resize. DMR has such a function under a name that we do
 * not know. */
DUCTILE_C_PUBLIC void DMR_Inhibit_time(double seconds);
/** Sets the limits as DMR_Set_parameters does (0: no limit), and looks for a resize as
 * DMR_RECONFIGURATION does. Returns DMR_action. If the result is not 0, the program redistributes
 * and calls DMR_Detach. `*intercomm` becomes DMR_INTERCOMM. `argv` is not used. */
DUCTILE_C_PUBLIC int DMR_Reconfiguration(char* argv[], MPI_Comm* intercomm, int min, int max,
                                         int multiple, int preferred);

/** These functions work with `dmrlib`, during a redistribution. Old processes send their parts of a
 * vector, and new processes receive their parts. The part of an old process may have any size. The
 * vector consists of these parts, in the order of the old ranks. New processes get blocks whose
 * sizes differ by at most one element. The larger blocks come first. A receive allocates the memory
 * `*data`, which the program frees by free(), and sets `*size`. The functions for a growth and for
 * a shrink do the same. */
DUCTILE_C_PUBLIC void DMR_Send_expand(double* data, int size, MPI_Comm intercomm);
DUCTILE_C_PUBLIC void DMR_Recv_expand(double** data, int* size, MPI_Comm intercomm);
DUCTILE_C_PUBLIC void DMR_Send_shrink(double* data, int size, MPI_Comm intercomm);
DUCTILE_C_PUBLIC void DMR_Recv_shrink(double** data, int* size, MPI_Comm intercomm);

enum ductile_dmr_back_end { DUCTILE_DMR_BY_MAM, DUCTILE_DMR_BY_DMRLIB };

/* The macros call these functions. */
DUCTILE_C_PUBLIC int ductile_dmr_init(int back_end);
DUCTILE_C_PUBLIC int ductile_dmr_check(void);
DUCTILE_C_PUBLIC void ductile_dmr_wait_stabilization(void);
DUCTILE_C_PUBLIC void ductile_dmr_detach(void);
DUCTILE_C_PUBLIC void ductile_dmr_complete(void);
DUCTILE_C_PUBLIC void ductile_dmr_finalize(void);
DUCTILE_C_PUBLIC void ductile_dmr_limits(int min, int max, int preferred, int multiple);
DUCTILE_C_PUBLIC int ductile_dmr_get_parent(MPI_Comm* parent);

#ifdef __cplusplus
}
#endif

/* The arguments of DMR_INIT, DMR_RECONFIGURATION and DMR_FINALIZE are statements, which may be
 * empty. Each of the three is a block, as in DMR. */

#define DUCTILE_DMR_FIFTH(a, b, c, d, name, ...) name

/** DMR_INIT(initialize, redistribution), or DMR_INIT(initialize, receive_growth, receive_shrink).
 * A process with which the job started runs the first argument. An added process runs one of the
 * other arguments. */
#define DMR_INIT(...)                                                                   \
    DUCTILE_DMR_FIFTH(__VA_ARGS__, DMR_INIT_takes_2_or_3_arguments, DUCTILE_DMR_INIT_3, \
                      DUCTILE_DMR_INIT_2, DMR_INIT_takes_2_or_3_arguments, ~)           \
    (__VA_ARGS__)
/** DMR_RECONFIGURATION(redistribution), or DMR_RECONFIGURATION(for_a_growth, for_a_shrink). The
 * place where the job may be resized. With `mam`, the processes that stay run the redistribution
 * when all data has moved, and a process that leaves exits here with code 0. With `dmrlib`, all old
 * processes run the redistribution, and then exit with code 0. */
#define DMR_RECONFIGURATION(...)                                                                 \
    DUCTILE_DMR_FIFTH(__VA_ARGS__, DMR_RECONFIGURATION_takes_1_or_2_arguments,                   \
                      DMR_RECONFIGURATION_takes_1_or_2_arguments, DUCTILE_DMR_RECONFIGURATION_2, \
                      DUCTILE_DMR_RECONFIGURATION_1, ~)                                          \
    (__VA_ARGS__)
/** Runs its argument, and ends the job. With `mam`, it first completes a resize that the program
 * has requested. */
#define DMR_FINALIZE(...)       \
    {                           \
        ductile_dmr_complete(); \
        __VA_ARGS__;            \
        ductile_dmr_finalize(); \
    }
/** DMR_Set_parameters(min, max), (min, max, preferred) or (min, max, preferred, multiple). Sets the
 * sizes that the job may have, and the size at which a policy aims. 0 means no limit. All processes
 * pass the same numbers. If one process passes other numbers, each resize is rolled back, and the
 * message names this process. */
#define DMR_Set_parameters(...)                                                                    \
    DUCTILE_DMR_FIFTH(__VA_ARGS__, ductile_dmr_limits, DUCTILE_DMR_LIMITS_3, DUCTILE_DMR_LIMITS_2, \
                      DMR_Set_parameters_takes_2_to_4_arguments, ~)                                \
    (__VA_ARGS__)

/* Smaller macros of DMR, for programs that call them. The first two run their first argument, and
 * use no other. */
#define DMR_Set_basic_data(...) DUCTILE_DMR_RUN(__VA_ARGS__, ~)
#define DMR_Retrieve_data(...) DUCTILE_DMR_RUN(__VA_ARGS__, ~)
#define DMR_Wait_stabilization(...) ductile_dmr_wait_stabilization()
#define DMR_Detach(...) ductile_dmr_detach()
/* The text of the paper dmr-slurm-mpdata uses these names. */
#define DMR_INITIALIZE DMR_INIT
#define DMR_RECONFIGURE DMR_RECONFIGURATION

#ifdef DUCTILE_DMR_DMRLIB
#define DUCTILE_DMR_BACK_END DUCTILE_DMR_BY_DMRLIB
#define MPI_Comm_get_parent(parent) ductile_dmr_get_parent((parent))
#else
#define DUCTILE_DMR_BACK_END DUCTILE_DMR_BY_MAM
#endif

#define DUCTILE_DMR_RUN(statement, ...) statement
#define DUCTILE_DMR_INIT_2(initialize, redistribution) \
    {                                                  \
        if (ductile_dmr_init(DUCTILE_DMR_BACK_END)) {  \
            redistribution;                            \
            if (DMR_comm_rank == 0) {                  \
                DMR_Wait_stabilization();              \
            }                                          \
            DMR_Detach();                              \
        } else {                                       \
            initialize;                                \
        }                                              \
    }
#define DUCTILE_DMR_RECONFIGURATION_1(redistribution) \
    {                                                 \
        if (ductile_dmr_check()) {                    \
            redistribution;                           \
            DMR_Detach();                             \
        }                                             \
    }
#define DUCTILE_DMR_BY_ACTION(expand, shrink) \
    {                                         \
        if (DMR_action == 2) {                \
            shrink;                           \
        } else {                              \
            expand;                           \
        }                                     \
    }
#define DUCTILE_DMR_INIT_3(initialize, expand, shrink) \
    DUCTILE_DMR_INIT_2(initialize, DUCTILE_DMR_BY_ACTION(expand, shrink))
#define DUCTILE_DMR_RECONFIGURATION_2(expand, shrink) \
    DUCTILE_DMR_RECONFIGURATION_1(DUCTILE_DMR_BY_ACTION(expand, shrink))
#define DUCTILE_DMR_LIMITS_2(min, max) ductile_dmr_limits((min), (max), 0, 0)
#define DUCTILE_DMR_LIMITS_3(min, max, preferred) ductile_dmr_limits((min), (max), (preferred), 0)

#endif
