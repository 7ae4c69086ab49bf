/**
 * \file
 * The job in C. It is the same as ductile::Job and its arrays, whose headers describe it in detail
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
 * Every function returns a code (ductile/error.h), except functions that are answered directly.
 * After an error a new handle is NULL. One thread makes all calls, as with ductile::Job.
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
/** This rank's records. Each record has an owner: the rank that holds it. */
typedef struct ductile_records ductile_records;
/** A rule of distribution. For an argument of this type, NULL means blocks. */
typedef struct ductile_distribution ductile_distribution;

/** Limits of a job, in ranks. 0 means "not set". As ductile::Options. */
typedef struct {
    int min;                  /**< the job never has fewer ranks */
    int max;                  /**< the job never has more ranks */
    int preferred;            /**< the size at which a policy aims */
    int multiple;             /**< all sizes are multiples of this */
    int64_t inhibitor_points; /**< after a resize: no other resize at so many resize points */
    int64_t inhibitor_ms;     /**< after a resize: no other resize for so many milliseconds */
    int one_world;            /**< not 0: each resize starts all ranks afresh, as one world */
} ductile_options;

/** What a resize point did. */
enum ductile_resized {
    DUCTILE_UNCHANGED = 0, /**< no resize was due, or it was rolled back */
    DUCTILE_PENDING = 1,   /**< a resize is under way; ranks may get different answers */
    DUCTILE_RESIZED = 2,   /**< the job has a new size: call its functions again */
    DUCTILE_LEAVE = 3      /**< this rank has left the job: free everything and end */
};

/** Elements begin .. end-1 of an array. */
typedef struct {
    int64_t begin; /**< the first element */
    int64_t end;   /**< the element after the last one */
} ductile_range;

/* ---- functions that new processes also call ---- */

/** Functions of the program that a process calls at resizes, also before it is a member of the job
 * (ductile/schema.hpp). All processes of a job pass the same functions. */
typedef struct ductile_schema ductile_schema;

/** A rank's place in a job. */
typedef struct {
    int rank; /**< its rank */
    int size; /**< the number of ranks */
} ductile_place;
/** The processes that take part in a resize. Valid only during the call. */
typedef struct {
    MPI_Comm comm;      /**< all sources and all targets; do not use it after the call */
    int rank;           /**< this process in `comm` */
    const int* sources; /**< sources[r]: the rank in `comm` of the old rank r */
    int source_count;   /**< number of ranks before the resize */
    const int* targets; /**< targets[r]: the rank in `comm` of the new rank r */
    int target_count;   /**< number of ranks after the resize */
    int rank_before;    /**< old rank of this process; -1: it is new, or comes back */
    int rank_after;     /**< new rank of this process; -1: it leaves, or parks */
} ductile_data_move;

/** Prepares what the rank needs at its place after the resize, while the program computes. On a
 * rank that stays, a separate thread makes the call. Returns 0. If it returns another value, the
 * resize is rolled back. */
typedef int ductile_prepare_function(ductile_place next, void* user);
/** Moves data that no rule of distribution describes: at each resize, on all sources and targets,
 * over `move->comm`. Returns 0. If it returns another value, the resize is rolled back. If the
 * resize is already certain (ductile/schema.hpp), the resize point returns DUCTILE_ERR_SYSTEM
 * instead, and the job cannot continue. */
typedef int ductile_redistribute_function(const ductile_data_move* move, void* user);

/** Makes a schema without functions. */
DUCTILE_C_PUBLIC int ductile_schema_create(ductile_schema** schema);
/** Adds a function. Ductile passes `user` to it; `user` must live as long as the job. Ductile calls
 * several functions in the order in which they were added. */
DUCTILE_C_PUBLIC int ductile_schema_on_prepare(ductile_schema* schema,
                                               ductile_prepare_function* prepare, void* user);
/** The same for a function that moves data. */
DUCTILE_C_PUBLIC int ductile_schema_on_redistribute(ductile_schema* schema,
                                                    ductile_redistribute_function* redistribute,
                                                    void* user);
/** Kinds of devices whose memory an MPI may be able to access. */
enum {
    DUCTILE_DEVICE_NONE = 0,
    DUCTILE_DEVICE_CUDA = 1,
    DUCTILE_DEVICE_HIP = 2,
    DUCTILE_DEVICE_LEVEL_ZERO = 3
};
/** Memory for the parts of an array (ductile/array_memory.hpp). Each function receives `user`.
 * Another thread may call them. If processor and MPI can access the memory, both copy functions may
 * be NULL. Otherwise they copy to ordinary memory (`copy_out`) and from it (`copy_in`). */
typedef struct {
    /** Returns memory of `bytes` bytes (at least 1), or NULL if there is none. */
    void* (*allocate)(size_t bytes, void* user);
    /** Frees the memory. */
    void (*free)(void* memory, size_t bytes, void* user);
    /** Copies to ordinary memory. */
    void (*copy_out)(void* to, const void* from, size_t bytes, void* user);
    /** Copies from ordinary memory. */
    void (*copy_in)(void* to, const void* from, size_t bytes, void* user);
    /** The device that has the memory. If it is not DUCTILE_DEVICE_NONE, both copy functions are
     * necessary. MPI accesses the memory itself where it can. */
    int device;
} ductile_array_memory;
/** Places the parts of the array `array` in this memory. `user` must live longer than the job. */
DUCTILE_C_PUBLIC int ductile_schema_keep_in(ductile_schema* schema, const char* array,
                                            const ductile_array_memory* memory, void* user);
/** Frees the schema and sets the handle to NULL. Jobs that were made with it keep its functions. */
DUCTILE_C_PUBLIC int ductile_schema_free(ductile_schema** schema);

/* ---- the job ---- */

/** Initialises MPI with MPI_THREAD_MULTIPLE, or uses an MPI that was initialised with it.
 * Collective over the processes that started together. In an added process it returns when the
 * process is a member and all data has arrived. `argc` and `argv`: of main, or NULL. `options` may
 * be NULL. */
DUCTILE_C_PUBLIC int ductile_job_create(int* argc, char*** argv, const ductile_options* options,
                                        ductile_job** job);
/** The same, with functions that new processes also call. `schema` may be NULL. */
DUCTILE_C_PUBLIC int ductile_job_create_with_schema(int* argc, char*** argv,
                                                    const ductile_options* options,
                                                    const ductile_schema* schema,
                                                    ductile_job** job);
/** Ends the job on this rank, and finalises MPI if ductile_job_create initialised it. Sets the
 * handle to NULL. Collective over the job. Call it after DUCTILE_LEAVE, too. A rank that ends
 * without this call has failed. */
DUCTILE_C_PUBLIC int ductile_job_free(ductile_job** job);

/** Answered directly: 1 in a process with which the job started, 0 in an added process. Until its
 * first resize point, an added process makes the same collective calls on the job's communicator as
 * the other ranks make after DUCTILE_RESIZED, in the same order. */
DUCTILE_C_PUBLIC int ductile_job_fresh(const ductile_job* job);
/** Answered directly: 1, or 0 after DUCTILE_LEAVE. */
DUCTILE_C_PUBLIC int ductile_job_member(const ductile_job* job);
/** Answered directly: the rank in the job's communicator; -1 without a job. */
DUCTILE_C_PUBLIC int ductile_job_rank(const ductile_job* job);
/** Answered directly: the number of ranks in the job's communicator; -1 without a job. */
DUCTILE_C_PUBLIC int ductile_job_size(const ductile_job* job);
/** The host on which a rank runs. */
typedef struct {
    int host;  /**< the number of the host, which no other host of the job gets */
    int slots; /**< the slots of the host, as `ductile run` knows them */
    int ranks; /**< the ranks of the job on the host */
    /** the number of the rank on its host, which no other living process of the job has there; -1
     * if a launcher starts the ranks (Open MPI), and without `ductile run` */
    int local_rank;
} ductile_rank_host;
/** Sets hosts[r] to the host of rank r, for all ductile_job_size() ranks. Without `ductile run` all
 * ranks have the same host. */
DUCTILE_C_PUBLIC int ductile_job_hosts(const ductile_job* job, ductile_rank_host* hosts);
/** Answered directly: the communicator of the job, which the job owns. After DUCTILE_RESIZED the
 * job has another one. MPI_COMM_NULL after DUCTILE_LEAVE. */
DUCTILE_C_PUBLIC MPI_Comm ductile_job_comm(const ductile_job* job);
/** Answered directly: the id that `ductile status` shows; "" without `ductile run`. Valid as long
 * as the job. */
DUCTILE_C_PUBLIC const char* ductile_job_id(const ductile_job* job);

/** The place where a resize may happen. All ranks call it equally often, with no operation pending
 * on the job's communicator. `*answer` is one of enum ductile_resized. */
DUCTILE_C_PUBLIC int ductile_job_resize_point(ductile_job* job, int* answer);

/** A function of the program. `user` is the pointer that was passed with it. Returns 0. */
typedef int ductile_hook(void* user);
/** Calls `rebuild` now, and again after each resize on each rank that stays, inside
 * ductile_job_resize_point. A rank that comes back from parking makes the call, too. Make here what
 * depends on the communicator. New ranks make the same calls at the same time, so `rebuild` may
 * communicate over the job's communicator. If `rebuild` does not return 0 now, this function
 * returns DUCTILE_ERR_OTHER, and `rebuild` is not called again. If it does not return 0 after a
 * resize, the resize point returns DUCTILE_ERR_OTHER. */
DUCTILE_C_PUBLIC int ductile_job_on_rebuild(ductile_job* job, ductile_hook* rebuild, void* user);
/** Calls `before` at a resize point before data moves. `before` writes copies back into arrays and
 * values. If it does not return 0, the resize is rolled back. */
DUCTILE_C_PUBLIC int ductile_job_before_move(ductile_job* job, ductile_hook* before, void* user);

/** The state of a resize that the program requests itself. */
enum ductile_resize_state {
    DUCTILE_ASKED_NONE = 0,        /**< this rank has made no request */
    DUCTILE_ASKED_OPEN = 1,        /**< the request is in progress */
    DUCTILE_ASKED_DONE = 2,        /**< the job has the requested size */
    DUCTILE_ASKED_REFUSED = 3,     /**< the size is not possible, or not allowed */
    DUCTILE_ASKED_ROLLED_BACK = 4, /**< the resize began and was undone */
    DUCTILE_ASKED_LOST = 5         /**< the broker ended before it answered, or there is none:
                                        make the request again */
};
/** Requests another size of this job, as `ductile resize` does. One rank makes the request. The
 * call does not wait: the resize happens at a later resize point. */
DUCTILE_C_PUBLIC int ductile_job_request_resize(ductile_job* job, int ranks);
/** The state of this rank's last request, one of enum ductile_resize_state. `*text` is the outcome
 * or the reason, for a person; valid until the next call of this function. `text` may be NULL. */
DUCTILE_C_PUBLIC int ductile_job_resize_answer(ductile_job* job, int* state, const char** text);

/* ---- replicated values ---- */

/** Memory of the program. */
typedef struct {
    void* data;   /**< the address */
    size_t bytes; /**< the number of bytes */
} ductile_memory;

/** Registers `bytes` bytes at `data` as replicated state. At a growth each rank gets the bytes of
 * rank 0; at a shrink it keeps its own. In an added process the memory gets the bytes that arrived.
 * The memory must stay at its place while it is registered: until `*value` is freed, or the job is
 * freed if `value` is NULL. Local. */
DUCTILE_C_PUBLIC int ductile_job_replicate(ductile_job* job, const char* name, void* data,
                                           size_t bytes, ductile_value** value);
/** The same for `count` pieces of memory under one name. The list is copied. */
DUCTILE_C_PUBLIC int ductile_job_replicate_several(ductile_job* job, const char* name,
                                                   const ductile_memory* pieces, size_t count,
                                                   ductile_value** value);
/** Ends the registration and sets the handle to NULL. */
DUCTILE_C_PUBLIC int ductile_value_free(ductile_value** value);

/* ---- rules of distribution ---- */

/** Sets weights[0] .. weights[ranks - 1]: each 0 or more, and not all of them 0. Returns 0. If it
 * returns another value, the resize is rolled back; outside of a resize, the function of Ductile
 * that called it returns DUCTILE_ERR_INPUT. */
typedef int ductile_weights_function(int ranks, int64_t* weights, void* user);
/** The same for ranks on these hosts. hosts[r] is the host of rank r. */
typedef int ductile_host_weights_function(int ranks, const ductile_rank_host* hosts,
                                          int64_t* weights, void* user);
/** Returns the weight of all elements before `element`. `element` is 0 to the number of elements of
 * the array. For matrix rows by their non-zeros, the results are the row pointer. */
typedef int64_t ductile_weight_before_function(int64_t element, void* user);
/** The list to which a function of the program adds ranges. */
typedef struct ductile_range_list ductile_range_list;
/** Adds the ranges that `rank` of `ranks` holds to `list`, in rising order. Returns 0, or another
 * value after an error, as a ductile_weights_function. */
typedef int ductile_ranges_function(int ranks, int rank, ductile_range_list* list, void* user);
/** Adds elements begin .. end-1 to the list. */
DUCTILE_C_PUBLIC int ductile_range_list_add(ductile_range_list* list, int64_t begin, int64_t end);

/** Blocks of `block` elements, dealt out to the ranks in turn. */
DUCTILE_C_PUBLIC int ductile_distribution_cyclic(int64_t block, ductile_distribution** rule);
/** Contiguous blocks in proportion to the ranks' weights. `weights` must set the same weights on
 * all ranks, and at every call. It receives `user`, which must live as long as the rule and all
 * arrays with this rule. */
DUCTILE_C_PUBLIC int ductile_distribution_by_weights(ductile_weights_function* weights, void* user,
                                                     ductile_distribution** rule);
/** The same, but the weight of a rank depends on its host: for example, on a measured speed. The
 * hosts include hosts on which a resize would place ranks. The function must set the same weights
 * on all ranks, and at every call. */
DUCTILE_C_PUBLIC int ductile_distribution_by_hosts(ductile_host_weights_function* weights,
                                                   void* user, ductile_distribution** rule);
/** The same, but the ranks of a host share its slots as their weight. */
DUCTILE_C_PUBLIC int ductile_distribution_by_slots(ductile_distribution** rule);
/** Contiguous blocks of about equal weight: for example, matrix rows by their non-zeros. */
DUCTILE_C_PUBLIC int ductile_distribution_balanced(ductile_weight_before_function* weight_before,
                                                   void* user, ductile_distribution** rule);
/** The ranges that `ranges` adds for each rank. `ranges` must add the same ranges on all ranks, and
 * at every call. It receives `user`, which must live as long as the rule and all arrays with this
 * rule. */
DUCTILE_C_PUBLIC int ductile_distribution_by_ranges(ductile_ranges_function* ranges, void* user,
                                                    ductile_distribution** rule);
/** A row-major array of `dimensions` extents, cut into blocks along one of them (0: the first). */
DUCTILE_C_PUBLIC int ductile_distribution_along(const int64_t* extents, int dimensions,
                                                int dimension, ductile_distribution** rule);
/** The same, but cut along all dimensions, over a grid of ranks. */
DUCTILE_C_PUBLIC int ductile_distribution_grid(const int64_t* extents, int dimensions,
                                               ductile_distribution** rule);
/** Frees the rule and sets the handle to NULL. Arrays with this rule keep the rule. */
DUCTILE_C_PUBLIC int ductile_distribution_free(ductile_distribution** rule);

/** The ranges that rank `rank` of `ranks` holds of an array of `elements` elements, in rising
 * order. Writes at most `capacity` ranges. `*count` is the number of ranges in all. */
DUCTILE_C_PUBLIC int ductile_distribution_ranges(const ductile_distribution* rule, int64_t elements,
                                                 int ranks, int rank, ductile_range* ranges,
                                                 size_t capacity, size_t* count);
/** The rank of `ranks` that holds an element. */
DUCTILE_C_PUBLIC int ductile_distribution_owner(const ductile_distribution* rule, int64_t elements,
                                                int ranks, int64_t element, int* owner);

/* ---- distributed arrays ---- */

/** The shape of an array. All ranks pass the same shape. */
typedef struct {
    int64_t elements;   /**< elements of the whole array */
    size_t value_bytes; /**< size of one value */
    int64_t width;      /**< values in an element, such as a row of a grid; 0 means 1 */
    /** A name for the type of a value, such as "double". Ranks with different names are an error.
     * NULL means "C value of N bytes". */
    const char* type;
    /** Room for ghosts in front of a rank's part, in elements. The part must then be one range.
     * After a resize the ghosts are undefined. */
    int64_t halo_before;
    int64_t halo_after; /**< the same, behind the part */
} ductile_shape;

/** Makes an array, distributed by `rule`. In a process with which the job started, all values are
 * zero. In an added process it holds the data that arrived. Local; all ranks make the same arrays.
 */
DUCTILE_C_PUBLIC int ductile_job_distribute(ductile_job* job, const char* name,
                                            const ductile_shape* shape,
                                            const ductile_distribution* rule,
                                            ductile_array** array);
/** Promises that no rank writes to this array any more, as long as the array exists. Its elements
 * may then move while the program computes (`ductile run --join background`), and another thread
 * calls the functions of its rule. All ranks must freeze the same arrays before the same resize
 * point. In an added process the array arrives frozen. Local. */
DUCTILE_C_PUBLIC int ductile_array_freeze(const ductile_array* array);
/** At a resize, moves only the part of each element that `type` describes. The rest of the element
 * is undefined afterwards. The extent of `type` is the size of an element. `type` may be freed
 * after this call. All ranks make this call before the same resize point; an added process need
 * not. Local. */
DUCTILE_C_PUBLIC int ductile_array_move_only(const ductile_array* array, MPI_Datatype type);
/** Ends the array and sets the handle to NULL. */
DUCTILE_C_PUBLIC int ductile_array_free(ductile_array** array);

/** Answered directly: this rank's elements, one after the other, in rising order of their global
 * index. The room for ghosts is in front of them and behind them. Invalid after DUCTILE_RESIZED.
 * NULL without an array. */
DUCTILE_C_PUBLIC void* ductile_array_data(const ductile_array* array);
/** Answered directly: elements of this rank; -1 without an array. */
DUCTILE_C_PUBLIC int64_t ductile_array_count(const ductile_array* array);
/** Answered directly: the global index of this rank's first element. If this rank has none: the
 * number of elements of all ranks. -1 without an array. */
DUCTILE_C_PUBLIC int64_t ductile_array_offset(const ductile_array* array);
/** Answered directly: elements of all ranks; -1 without an array. */
DUCTILE_C_PUBLIC int64_t ductile_array_elements(const ductile_array* array);
/** Answered directly: values in an element; -1 without an array. */
DUCTILE_C_PUBLIC int64_t ductile_array_width(const ductile_array* array);

/** As ductile_distribution_ranges, for this rank. */
DUCTILE_C_PUBLIC int ductile_array_ranges(const ductile_array* array, ductile_range* ranges,
                                          size_t capacity, size_t* count);
/** The rank that holds an element. */
DUCTILE_C_PUBLIC int ductile_array_owner(const ductile_array* array, int64_t element, int* owner);
/** The position of an element in this rank's part, in elements. */
DUCTILE_C_PUBLIC int ductile_array_to_local(const ductile_array* array, int64_t element,
                                            int64_t* local);
/** The global index of the element at position `local` of this rank's part. */
DUCTILE_C_PUBLIC int ductile_array_to_global(const ductile_array* array, int64_t local,
                                             int64_t* element);

/* ---- rows of unequal length ---- */

/** Makes an array of `shape->elements` rows, distributed by `rule`. A row has any number of values;
 * the shape has no width and no halo. Each row is empty at first; in an added process the rows are
 * the rows that arrived. All functions for arrays work, except ductile_array_move_only.
 * ductile_array_data() returns the values of all rows of this rank, one row after the other. If
 * there are no values, the result can be NULL. As ductile::Ragged. */
DUCTILE_C_PUBLIC int ductile_job_distribute_rows(ductile_job* job, const char* name,
                                                 const ductile_shape* shape,
                                                 const ductile_distribution* rule,
                                                 ductile_array** rows);
/** Sets the lengths of this rank's rows, in values: one length for each of its `count` rows. All
 * values become zero. */
DUCTILE_C_PUBLIC int ductile_array_set_lengths(ductile_array* rows, const int64_t* lengths,
                                               size_t count);
/** Answered directly: where each row of this rank begins among the values, and then where the last
 * row ends. Invalid after DUCTILE_RESIZED. NULL without rows. */
DUCTILE_C_PUBLIC const int64_t* ductile_array_starts(const ductile_array* rows);

/* ---- records by owner ---- */

/** Returns the owner of a record: a rank from 0 to ranks - 1. Another number rolls the resize back.
 * Called at a resize point. */
typedef int ductile_owner_function(const void* record, int ranks, void* user);

/** Registers records of `record_bytes` bytes each, as ductile::Job::redistribute_by. At a resize
 * each record moves to the rank that `owner` returns. The handle owns the memory of the records.
 * There are no records at first; an added process has the records that arrived: those from lower
 * ranks first, and those from one rank in their old order. `type`: as in ductile_shape. Local; all
 * ranks make the same call. */
DUCTILE_C_PUBLIC int ductile_job_redistribute_by(ductile_job* job, const char* name,
                                                 size_t record_bytes, const char* type,
                                                 ductile_owner_function* owner, void* user,
                                                 ductile_records** records);
/** Sets the number of records. The first records stay; additional records are zero. Pointers to
 * records become invalid. */
DUCTILE_C_PUBLIC int ductile_records_resize(ductile_records* records, int64_t count);
/** Answered directly: the records of this rank, one after the other; NULL without records. Invalid
 * after DUCTILE_RESIZED. */
DUCTILE_C_PUBLIC void* ductile_records_data(ductile_records* records);
/** Answered directly: how many records this rank has; -1 without records. */
DUCTILE_C_PUBLIC int64_t ductile_records_count(const ductile_records* records);
/** Ends the records and sets the handle to NULL. */
DUCTILE_C_PUBLIC int ductile_records_free(ductile_records** records);

/* ---- process groups of a job ---- */

/** As ductile_group_split, for the ranks of a job. `options` NULL: the defaults. Collective over
 * the job. */
DUCTILE_C_PUBLIC int ductile_group_of_job(ductile_job* job, int colour,
                                          const ductile_group_options* options,
                                          ductile_group** group);
/** Makes the group again after a resize (ductile::ProcessGroup::renew). Collective over the job. */
DUCTILE_C_PUBLIC int ductile_group_renew(ductile_group* group);

#ifdef __cplusplus
}
#endif

#endif
