/**
 * \file
 * Programs that are written for DMR (the macros DMR_INIT, DMR_RECONFIGURATION and DMR_FINALIZE), on
 * Ductile. docs/dmr.md says what is the same and what is not.
 *
 *     MPI_Init(&argc, &argv);
 *     DMR_INIT(initialise(), receive());          // the second one in processes that were added
 *     DMR_Set_parameters(2, 16);
 *     DMR_Inhibit_iter(10);
 *     while (DMR_it < steps) {
 *         advance();
 *         ++DMR_it;
 *         DMR_RECONFIGURATION(redistribute());    // here the job may be resized
 *     }
 *     DMR_FINALIZE(release());
 *     MPI_Finalize();
 *
 * There are two back ends. They differ in who redistributes the data:
 * - `mam` (the default): Ductile does. The program gives its data to MAM_Data_add (compat/mam.h),
 *   and its communicator is DMR_COMM.
 * - `dmrlib` (where DUCTILE_DMR_DMRLIB is defined): the program does. At a resize all processes are
 *   replaced. The old ones send within DMR_RECONFIGURATION, the new ones receive within DMR_INIT,
 *   over DMR_INTERCOMM. MPI_COMM_WORLD always has the processes of the job.
 *
 * All processes make the same calls in the same order, by one thread of each. What goes wrong is
 * said on stderr, and ends the program by MPI_Abort.
 */
#ifndef DUCTILE_COMPAT_DMR_H
#define DUCTILE_COMPAT_DMR_H

#include "mam.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The program counts its steps here. A process that was added begins with the count of process 0.
 */
DUCTILE_C_PUBLIC extern int DMR_it;
/** The processes of the job. With `mam` another one after each resize, and freed by DMR_FINALIZE;
 * with `dmrlib` MPI_COMM_WORLD. */
DUCTILE_C_PUBLIC extern MPI_Comm DMR_COMM;
/** With `dmrlib`, during a redistribution, the other processes: the old or the new ones. Else
 * MPI_COMM_NULL. */
DUCTILE_C_PUBLIC extern MPI_Comm DMR_INTERCOMM;
/** Of this process in DMR_COMM; and the size before the last resize, 0 before the first. */
DUCTILE_C_PUBLIC extern int DMR_comm_rank, DMR_comm_size, DMR_comm_prev_size;
/** During a redistribution 2 where the job shrinks, else 1; at other times 0. */
DUCTILE_C_PUBLIC extern int DMR_action;
/** What DMR_Set_parameters was given. */
DUCTILE_C_PUBLIC extern int DMR_min, DMR_max, DMR_pref;
/** With `mam`: what MAM_Checkpoint has said last, and what MAM_Init has. */
DUCTILE_C_PUBLIC extern int MaM_state, MaM_is_children;

/** Looks for a resize only at each `steps`-th DMR_RECONFIGURATION from now on. */
DUCTILE_C_PUBLIC void DMR_Inhibit_iter(int steps);
/** No resize for so long after one. (The name is Ductile's: DMR's is not known.) */
DUCTILE_C_PUBLIC void DMR_Inhibit_time(double seconds);
/** What is behind DMR_RECONFIGURATION, without a redistribution: limits (0: none), then a place
 * where the job may be resized. Answers DMR_action; if that is not 0 the program redistributes, and
 * calls DMR_Detach. `*intercomm` becomes DMR_INTERCOMM. `argv` is not used. */
DUCTILE_C_PUBLIC int DMR_Reconfiguration(char* argv[], MPI_Comm* intercomm, int min, int max,
                                         int multiple, int preferred);

/** With `dmrlib`, during a redistribution: the old processes send their parts of a vector, the new
 * ones receive theirs: equal blocks, the first ones one element longer if need be. Old processes
 * may have parts of any size, of which the vector consists in their order. `*data` is new memory,
 * which the program frees by free(); `*size` is set. Those of growth and shrink are the same. */
DUCTILE_C_PUBLIC void DMR_Send_expand(double* data, int size, MPI_Comm intercomm);
DUCTILE_C_PUBLIC void DMR_Recv_expand(double** data, int* size, MPI_Comm intercomm);
DUCTILE_C_PUBLIC void DMR_Send_shrink(double* data, int size, MPI_Comm intercomm);
DUCTILE_C_PUBLIC void DMR_Recv_shrink(double** data, int* size, MPI_Comm intercomm);

enum ductile_dmr_back_end { DUCTILE_DMR_BY_MAM, DUCTILE_DMR_BY_DMRLIB };

/* What the macros call. */
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

/* Arguments of the macros are statements; they may be empty. The macros are blocks, as DMR's are.
 */

#define DUCTILE_DMR_FIFTH(a, b, c, d, name, ...) name

/** DMR_INIT(initialize, redistribution), or DMR_INIT(initialize, receive_growth, receive_shrink):
 * the first one runs in processes that were there when the job began, the others in those that were
 * added. */
#define DMR_INIT(...)                                                                   \
    DUCTILE_DMR_FIFTH(__VA_ARGS__, DMR_INIT_takes_2_or_3_arguments, DUCTILE_DMR_INIT_3, \
                      DUCTILE_DMR_INIT_2, DMR_INIT_takes_2_or_3_arguments, ~)           \
    (__VA_ARGS__)
/** DMR_RECONFIGURATION(redistribution), or DMR_RECONFIGURATION(for_a_growth, for_a_shrink): a place
 * where the job may be resized. With `mam` the processes that stay run the redistribution, when all
 * data has moved; others do not return. With `dmrlib` the old ones run it, and do not return. */
#define DMR_RECONFIGURATION(...)                                                                 \
    DUCTILE_DMR_FIFTH(__VA_ARGS__, DMR_RECONFIGURATION_takes_1_or_2_arguments,                   \
                      DMR_RECONFIGURATION_takes_1_or_2_arguments, DUCTILE_DMR_RECONFIGURATION_2, \
                      DUCTILE_DMR_RECONFIGURATION_1, ~)                                          \
    (__VA_ARGS__)
/** Runs its argument. With `mam` a resize that the program has asked for is completed first. */
#define DMR_FINALIZE(...)       \
    {                           \
        ductile_dmr_complete(); \
        __VA_ARGS__;            \
        ductile_dmr_finalize(); \
    }
/** DMR_Set_parameters(min, max), (min, max, preferred) or (min, max, preferred, multiple): sizes
 * that the job may have, and the one that a policy aims at; 0 where there is no limit. The same in
 * all processes: where they differ a resize is rolled back, with a line that says who differs. */
#define DMR_Set_parameters(...)                                                                    \
    DUCTILE_DMR_FIFTH(__VA_ARGS__, ductile_dmr_limits, DUCTILE_DMR_LIMITS_3, DUCTILE_DMR_LIMITS_2, \
                      DMR_Set_parameters_takes_2_to_4_arguments, ~)                                \
    (__VA_ARGS__)

/* The parts of these macros, for programs that name them; what else they take is not used. */
#define DMR_Set_basic_data(...) DUCTILE_DMR_RUN(__VA_ARGS__, ~)
#define DMR_Retrieve_data(...) DUCTILE_DMR_RUN(__VA_ARGS__, ~)
#define DMR_Wait_stabilization(...) ductile_dmr_wait_stabilization()
#define DMR_Detach(...) ductile_dmr_detach()
/* By these names the paper's prose calls them. */
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
