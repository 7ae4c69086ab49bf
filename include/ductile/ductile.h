/**
 * \file
 * The job as a C program sees it. The same as ductile::Job and its arrays, whose headers say more
 * (ductile/job.hpp, distributed.hpp, distribution.hpp).
 *
 *     ductile_job* job;
 *     ductile_array* u;
 *     int answer = DUCTILE_UNCHANGED;
 *     ductile_job_create(&argc, &argv, NULL, &job);   // in an added process: returns as a member
 *     if (ductile_job_fresh(job)) read_input_and_broadcast(&n, ductile_job_comm(job));
 *     ductile_job_replicate(job, "n", &n, sizeof n, NULL);
 *     ductile_job_replicate(job, "step", &step, sizeof step, NULL);
 *     ductile_job_distribute(job, "u", &shape, NULL, &u);       // of n elements, by blocks
 *     if (ductile_job_fresh(job)) initialise(u);
 *     while (step < steps && answer != DUCTILE_LEAVE) {
 *         advance(ductile_job_comm(job), u, step);
 *         ++step;                                     // before the resize point
 *         ductile_job_resize_point(job, &answer);
 *     }
 *     ductile_array_free(&u);
 *     ductile_job_free(&job);
 *
 * Every function but those that answer directly returns a code (ductile/error.h). A handle that a
 * function makes is NULL after an error. Calls are made by one thread, as of a ductile::Job.
 */
#ifndef DUCTILE_DUCTILE_H
#define DUCTILE_DUCTILE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "ductile/error.h"
#include "ductile/process_group.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A rank's membership in a job. */
typedef struct ductile_job ductile_job;
/** This rank's part of a distributed array. */
typedef struct ductile_array ductile_array;
/** The registration of a replicated value. */
typedef struct ductile_value ductile_value;
/** This rank's records, which each say which rank they belong to. */
typedef struct ductile_records ductile_records;
/** A rule of distribution. Where one is asked for, NULL stands for blocks. */
typedef struct ductile_distribution ductile_distribution;

/** Limits of a job, in ranks; 0 stands for "not set". As ductile::Options. */
typedef struct {
    int min, max, preferred, multiple;
    int64_t inhibitor_points; /**< after a resize none is made for so many resize points, */
    int64_t inhibitor_ms;     /**< and for so long */
    int one_world;            /**< not 0: each resize makes all ranks afresh, as one world */
} ductile_options;

/** What a resize point did. */
enum ductile_resized {
    DUCTILE_UNCHANGED = 0, /**< nothing was due */
    DUCTILE_PENDING = 1,   /**< a resize is under way; this rank's own news */
    DUCTILE_RESIZED = 2,   /**< the job has a new size: ask arrays and the job again */
    DUCTILE_LEAVE = 3      /**< this rank is no member any more: free everything and end */
};

/** Elements begin .. end-1 of an array. */
typedef struct {
    int64_t begin, end;
} ductile_range;

/* ---- what new processes do, too ---- */

/** Functions of the program's that a process calls before it belongs to a job (ductile/schema.hpp).
 * All processes of a job are given the same. */
typedef struct ductile_schema ductile_schema;

/** A rank's place in a job. */
typedef struct {
    int rank, size;
} ductile_place;
/** Who takes part in a resize. Valid during the call alone. */
typedef struct {
    MPI_Comm comm;      /**< of all sources and all targets; not to be used after the call */
    int rank;           /**< this process in `comm` */
    const int* sources; /**< by rank in the job before: the rank in `comm` */
    int source_count;
    const int* targets; /**< by rank in the job afterwards: the rank in `comm` */
    int target_count;
    int rank_before; /**< this process in the job before; -1: it is new, or comes back */
    int rank_after;  /**< this process in the job afterwards; -1: it leaves, or parks */
} ductile_data_move;

/** Makes what the rank needs at its next place and can make by itself, while the program computes;
 * on a rank that is there already in a thread of its own. Returns 0; anything else calls the resize
 * off. */
typedef int ductile_prepare_function(ductile_place next, void* user);
/** Moves what no rule of distribution covers, at each resize, on all sources and targets, over
 * `move->comm`. Returns 0; anything else calls an expand off, and is DUCTILE_ERR_SYSTEM of the
 * resize point at a shrink, which is certain then. */
typedef int ductile_redistribute_function(const ductile_data_move* move, void* user);

DUCTILE_C_PUBLIC int ductile_schema_create(ductile_schema** schema);
/** `user` is passed on, and lives as long as the job. Several are called in this order. */
DUCTILE_C_PUBLIC int ductile_schema_on_prepare(ductile_schema* schema,
                                               ductile_prepare_function* prepare, void* user);
DUCTILE_C_PUBLIC int ductile_schema_on_redistribute(ductile_schema* schema,
                                                    ductile_redistribute_function* redistribute,
                                                    void* user);
/** Memory for the parts of an array (ductile/array_memory.hpp). `allocate` answers NULL where there
 * is none. Both copy functions are NULL where processor and MPI can use the memory; else they copy
 * to ordinary memory (`copy_out`) and from it. Each gets `user`. Another thread may call them. */
typedef struct {
    void* (*allocate)(size_t bytes, void* user);
    void (*free)(void* memory, size_t bytes, void* user);
    void (*copy_out)(void* to, const void* from, size_t bytes, void* user);
    void (*copy_in)(void* to, const void* from, size_t bytes, void* user);
} ductile_array_memory;
/** The parts of the array of that name lie there, on all ranks. `user` lives as long as they do. */
DUCTILE_C_PUBLIC int ductile_schema_keep_in(ductile_schema* schema, const char* array,
                                            const ductile_array_memory* memory, void* user);
/** Sets the handle to NULL. Jobs that were made with it keep what it says. */
DUCTILE_C_PUBLIC int ductile_schema_free(ductile_schema** schema);

/* ---- the job ---- */

/** Initialises MPI with MPI_THREAD_MULTIPLE, or takes an MPI that has it. Collective over the
 * processes that were started together. In an added process it returns when the process is a member
 * and all data has arrived. `argc` and `argv` are those of main, or NULL; `options` may be NULL. */
DUCTILE_C_PUBLIC int ductile_job_create(int* argc, char*** argv, const ductile_options* options,
                                        ductile_job** job);
/** The same with what new processes do, too. `schema` may be NULL. */
DUCTILE_C_PUBLIC int ductile_job_create_with_schema(int* argc, char*** argv,
                                                    const ductile_options* options,
                                                    const ductile_schema* schema,
                                                    ductile_job** job);
/** Ends the job on this rank, and MPI if ductile_job_create initialised it. Sets the handle to
 * NULL. Collective over the job; called also after DUCTILE_LEAVE. A rank that ends without it has
 * failed. */
DUCTILE_C_PUBLIC int ductile_job_free(ductile_job** job);

/** Answered directly. 1 in a process that was there when the job began, 0 in one that was added:
 * that one makes no collective call on the job's communicator before its first resize point. */
DUCTILE_C_PUBLIC int ductile_job_fresh(const ductile_job* job);
/** Answered directly: 1, or 0 after DUCTILE_LEAVE. */
DUCTILE_C_PUBLIC int ductile_job_member(const ductile_job* job);
/** Answered directly: rank and number of ranks in the job's communicator; -1 without a job. */
DUCTILE_C_PUBLIC int ductile_job_rank(const ductile_job* job);
DUCTILE_C_PUBLIC int ductile_job_size(const ductile_job* job);
/** The host on which a rank is. */
typedef struct {
    int host;  /**< its number in the job, which no other host gets */
    int slots; /**< of the host, as `ductile run` knows them */
    int ranks; /**< of the job on the host */
} ductile_rank_host;
/** Where the ranks are: sets hosts[0] to hosts[ductile_job_size() - 1]. Without `ductile run`, one
 * host for all. */
DUCTILE_C_PUBLIC int ductile_job_hosts(const ductile_job* job, ductile_rank_host* hosts);
/** Answered directly: the job's communicator, which belongs to the job and is another one after
 * DUCTILE_RESIZED. MPI_COMM_NULL after DUCTILE_LEAVE. */
DUCTILE_C_PUBLIC MPI_Comm ductile_job_comm(const ductile_job* job);
/** Answered directly: the id that `ductile status` shows; "" without `ductile run`. Valid as long
 * as the job. */
DUCTILE_C_PUBLIC const char* ductile_job_id(const ductile_job* job);

/** The place where a resize may happen; called by all ranks equally often, with nothing pending on
 * the job's communicator. `*answer` is one of enum ductile_resized. */
DUCTILE_C_PUBLIC int ductile_job_resize_point(ductile_job* job, int* answer);

/** A function of the program's, called with the `user` that was given with it. Returns 0. */
typedef int ductile_hook(void* user);
/** Calls `rebuild` now, and again after each resize on each rank that stays, within
 * ductile_job_resize_point: what depends on the communicator is made here. A new rank makes the
 * same calls while the others are in theirs, so they may communicate over the job's communicator.
 * What is not 0 becomes DUCTILE_ERR_OTHER, after the resize. */
DUCTILE_C_PUBLIC int ductile_job_on_rebuild(ductile_job* job, ductile_hook* rebuild, void* user);
/** Calls `before` at a resize point before data move: to write what is elsewhere into arrays and
 * values. What is not 0 calls the resize off. */
DUCTILE_C_PUBLIC int ductile_job_before_move(ductile_job* job, ductile_hook* before, void* user);

/** What becomes of a resize that the program asks for itself. */
enum ductile_resize_state {
    DUCTILE_ASKED_NONE = 0,        /**< this rank has asked for none */
    DUCTILE_ASKED_OPEN = 1,        /**< it is on its way */
    DUCTILE_ASKED_DONE = 2,        /**< the job has the size */
    DUCTILE_ASKED_REFUSED = 3,     /**< it cannot be, or may not */
    DUCTILE_ASKED_ROLLED_BACK = 4, /**< it was begun and given up */
    DUCTILE_ASKED_LOST = 5         /**< the broker is lost */
};
/** Asks for another size of this job, as `ductile resize` does. One rank asks; it does not wait:
 * the job is resized at a later resize point. */
DUCTILE_C_PUBLIC int ductile_job_request_resize(ductile_job* job, int ranks);
/** What has become of this rank's last request, one of enum ductile_resize_state. `text` may be
 * NULL; it says the reason, and is valid until this function's next call. */
DUCTILE_C_PUBLIC int ductile_job_resize_answer(ductile_job* job, int* state, const char** text);

/* ---- replicated values ---- */

/** Some bytes of the program's. */
typedef struct {
    void* data;
    size_t bytes;
} ductile_memory;

/** Makes `bytes` bytes at `data` replicated state: at an expand each rank gets rank 0's, at a
 * shrink it keeps its own. In an added process they are set to what has arrived. The memory stays
 * where it is as long as it is registered: until `*value` is freed or, where `value` is NULL, the
 * job. Local. */
DUCTILE_C_PUBLIC int ductile_job_replicate(ductile_job* job, const char* name, void* data,
                                           size_t bytes, ductile_value** value);
/** The same of `count` pieces of memory under one name. The list is copied. */
DUCTILE_C_PUBLIC int ductile_job_replicate_several(ductile_job* job, const char* name,
                                                   const ductile_memory* pieces, size_t count,
                                                   ductile_value** value);
/** Ends the registration and sets the handle to NULL. */
DUCTILE_C_PUBLIC int ductile_value_free(ductile_value** value);

/* ---- rules of distribution ---- */

/** Sets weights[0] .. weights[ranks - 1], each from 0, not all of them 0. Returns 0; anything else
 * calls the resize off, or is DUCTILE_ERR_INPUT of the function that has asked. */
typedef int ductile_weights_function(int ranks, int64_t* weights, void* user);
/** The same of ranks on these hosts; host[r] is that of rank r. */
typedef int ductile_host_weights_function(int ranks, const ductile_rank_host* hosts,
                                          int64_t* weights, void* user);
/** The weight of all elements before `element`, 0 to the number of elements: a row pointer. */
typedef int64_t ductile_weight_before_function(int64_t element, void* user);
/** Takes ranges from a function of the program. */
typedef struct ductile_range_list ductile_range_list;
/** Says by ductile_range_list_add, rising, what `rank` of `ranks` holds. Returns as above. */
typedef int ductile_ranges_function(int ranks, int rank, ductile_range_list* list, void* user);
DUCTILE_C_PUBLIC int ductile_range_list_add(ductile_range_list* list, int64_t begin, int64_t end);

/** Blocks of `block` elements, dealt out to the ranks in turn. */
DUCTILE_C_PUBLIC int ductile_distribution_cyclic(int64_t block, ductile_distribution** rule);
/** Contiguous blocks as large as the ranks' weights. `weights` says the same on all ranks, and each
 * time; `user` is passed on to it, and lives as long as an array with this rule. */
DUCTILE_C_PUBLIC int ductile_distribution_by_weights(ductile_weights_function* weights, void* user,
                                                     ductile_distribution** rule);
/** The same where a rank's weight goes by its host: a speed that was measured once, say. The
 * function is asked also of hosts on which a resize would put ranks. It says the same on all ranks,
 * and each time. */
DUCTILE_C_PUBLIC int ductile_distribution_by_hosts(ductile_host_weights_function* weights,
                                                   void* user, ductile_distribution** rule);
/** The same, the ranks of a host sharing its slots as their weight. */
DUCTILE_C_PUBLIC int ductile_distribution_by_slots(ductile_distribution** rule);
/** Contiguous blocks of about equal weight: rows of a sparse matrix by their non-zeros. */
DUCTILE_C_PUBLIC int ductile_distribution_balanced(ductile_weight_before_function* weight_before,
                                                   void* user, ductile_distribution** rule);
/** The ranges that `ranges` names for each rank, under the same conditions. */
DUCTILE_C_PUBLIC int ductile_distribution_by_ranges(ductile_ranges_function* ranges, void* user,
                                                    ductile_distribution** rule);
/** A row-major array of `dimensions` extents, cut into blocks along one of them (0: the first). */
DUCTILE_C_PUBLIC int ductile_distribution_along(const int64_t* extents, int dimensions,
                                                int dimension, ductile_distribution** rule);
/** The same cut along all of them, over a grid of ranks. */
DUCTILE_C_PUBLIC int ductile_distribution_grid(const int64_t* extents, int dimensions,
                                               ductile_distribution** rule);
/** Sets the handle to NULL. Arrays with this rule keep it. */
DUCTILE_C_PUBLIC int ductile_distribution_free(ductile_distribution** rule);

/** What a rank of `ranks` holds of an array of `elements`: rising. Writes as many ranges as
 * `capacity` allows; `*count` is how many there are. */
DUCTILE_C_PUBLIC int ductile_distribution_ranges(const ductile_distribution* rule, int64_t elements,
                                                 int ranks, int rank, ductile_range* ranges,
                                                 size_t capacity, size_t* count);
/** The rank of `ranks` that holds an element. */
DUCTILE_C_PUBLIC int ductile_distribution_owner(const ductile_distribution* rule, int64_t elements,
                                                int ranks, int64_t element, int* owner);

/* ---- distributed arrays ---- */

/** What an array consists of. All ranks say the same. */
typedef struct {
    int64_t elements;   /**< of the whole array: what is distributed */
    size_t value_bytes; /**< of one value */
    int64_t width;      /**< values in an element, a row of a grid say; 0 stands for 1 */
    /** A name for what a value is, "double" say, so that an error is told from what was meant. NULL
     * stands for "C value of N bytes". */
    const char* type;
    /** Elements of room for ghosts in front of a rank's part and behind it, which is one range
     * then. What is there after a resize is not defined. */
    int64_t halo_before, halo_after;
} ductile_shape;

/** Makes an array, distributed by `rule`; all zero in a process that was there from the start. In
 * an added one it holds what has arrived. Local; all ranks make the same arrays. */
DUCTILE_C_PUBLIC int ductile_job_distribute(ductile_job* job, const char* name,
                                            const ductile_shape* shape,
                                            const ductile_distribution* rule,
                                            ductile_array** array);
/** The program does not write to this array any more, on any rank, as long as it is there: its
 * elements may move while the program computes (`ductile run --join background`), and another
 * thread asks the functions of its rule then. All ranks freeze
 * the same arrays before the same resize point; in an added process it has arrived frozen. Local.
 */
DUCTILE_C_PUBLIC int ductile_array_freeze(const ductile_array* array);
/** Of each element only what one element of `type` consists of moves at a resize; the rest of it is
 * not defined afterwards. The type's extent is the size of an element; it may be freed afterwards.
 * All ranks say the same before the same resize point; in an added process it is known. Local. */
DUCTILE_C_PUBLIC int ductile_array_move_only(const ductile_array* array, MPI_Datatype type);
/** Ends the array and sets the handle to NULL. */
DUCTILE_C_PUBLIC int ductile_array_free(ductile_array** array);

/** Answered directly. This rank's elements, one after the other, in rising order of their global
 * index; the room for ghosts is in front of them and behind them. Void after DUCTILE_RESIZED. NULL
 * without an array. */
DUCTILE_C_PUBLIC void* ductile_array_data(const ductile_array* array);
/** Answered directly, -1 without an array: elements of this rank, the global index of the first
 * (all elements where there is none), elements of all ranks, values in an element. */
DUCTILE_C_PUBLIC int64_t ductile_array_count(const ductile_array* array);
DUCTILE_C_PUBLIC int64_t ductile_array_offset(const ductile_array* array);
DUCTILE_C_PUBLIC int64_t ductile_array_elements(const ductile_array* array);
DUCTILE_C_PUBLIC int64_t ductile_array_width(const ductile_array* array);

/** As ductile_distribution_ranges, of this rank. */
DUCTILE_C_PUBLIC int ductile_array_ranges(const ductile_array* array, ductile_range* ranges,
                                          size_t capacity, size_t* count);
/** The rank that holds an element. */
DUCTILE_C_PUBLIC int ductile_array_owner(const ductile_array* array, int64_t element, int* owner);
/** Where this rank keeps an element of its own, counted in elements; and the other way round. */
DUCTILE_C_PUBLIC int ductile_array_to_local(const ductile_array* array, int64_t element,
                                            int64_t* local);
DUCTILE_C_PUBLIC int ductile_array_to_global(const ductile_array* array, int64_t local,
                                             int64_t* element);

/* ---- rows of unequal length ---- */

/** Makes an array of rows, distributed by `rule`: `shape->elements` of them, each of any number of
 * values; without width and halo. Each row is empty at first, in an added process as it has
 * arrived. What is said of arrays holds for it, but for ductile_array_move_only;
 * ductile_array_data() gives the values of all rows of this rank, one row after the other, and NULL
 * where there are none. As ductile::Ragged. */
DUCTILE_C_PUBLIC int ductile_job_distribute_rows(ductile_job* job, const char* name,
                                                 const ductile_shape* shape,
                                                 const ductile_distribution* rule,
                                                 ductile_array** rows);
/** Gives this rank's rows these lengths, in values, one for each of its `count` rows; all values
 * become zero. */
DUCTILE_C_PUBLIC int ductile_array_set_lengths(ductile_array* rows, const int64_t* lengths,
                                               size_t count);
/** Answered directly. Where each row of this rank begins among the values and, as one number more,
 * where the last one ends. Void after DUCTILE_RESIZED. NULL without rows. */
DUCTILE_C_PUBLIC const int64_t* ductile_array_starts(const ductile_array* rows);

/* ---- records by owner ---- */

/** The rank of `ranks`, from 0 on, that a record belongs to; any other number calls the resize off.
 * Called at a resize point. */
typedef int ductile_owner_function(const void* record, int ranks, void* user);

/** Makes records of so many bytes the job's, as ductile::Job::redistribute_by: at a resize each
 * goes to the rank that `owner` says. Their memory is the handle's: none at first, in an added
 * process those that have arrived. Records from one rank keep their order; lower ranks' come first.
 * `type`: as in ductile_shape. Local; all ranks make the same. */
DUCTILE_C_PUBLIC int ductile_job_redistribute_by(ductile_job* job, const char* name,
                                                 size_t record_bytes, const char* type,
                                                 ductile_owner_function* owner, void* user,
                                                 ductile_records** records);
/** There are so many from now on: the first ones stay, further ones are zero. Other pointers to
 * them are void. */
DUCTILE_C_PUBLIC int ductile_records_resize(ductile_records* records, int64_t count);
/** Answered directly, NULL or -1 without records: those of this rank, one after the other, and how
 * many they are. Void after DUCTILE_RESIZED. */
DUCTILE_C_PUBLIC void* ductile_records_data(ductile_records* records);
DUCTILE_C_PUBLIC int64_t ductile_records_count(const ductile_records* records);
/** Ends the records and sets the handle to NULL. */
DUCTILE_C_PUBLIC int ductile_records_free(ductile_records** records);

/* ---- process groups of a job ---- */

/** As ductile_group_split, of the job's ranks. Collective over the job. */
DUCTILE_C_PUBLIC int ductile_group_of_job(ductile_job* job, int colour,
                                          const ductile_group_options* options,
                                          ductile_group** group);
/** Makes the group again after a resize (ductile::ProcessGroup::renew). Collective over the job. */
DUCTILE_C_PUBLIC int ductile_group_renew(ductile_group* group);

#ifdef __cplusplus
}
#endif

#endif
