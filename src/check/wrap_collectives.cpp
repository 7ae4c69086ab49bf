// Collective calls.
#include "check/wrappers.hpp"

// NOLINTBEGIN(bugprone-macro-parentheses): types are pasted as they are
// `x`: suffix of the names; N: type of counts; D: type of displacements.
#define DUCTILE_ROOTED(x, N, D)                                                                    \
    DUCTILE_WRAP_BOTH(Bcast##x, bcast##x,                                                          \
                      (void* data, N count, MPI_Datatype type, int at, MPI_Comm comm),             \
                      (data, count, type, at, comm), root(at))                                     \
    DUCTILE_WRAP_BOTH(                                                                             \
        Reduce##x, reduce##x,                                                                      \
        (const void* in, void* out, N count, MPI_Datatype type, MPI_Op op, int at, MPI_Comm comm), \
        (in, out, count, type, op, at, comm), root(at))                                            \
    DUCTILE_WRAP_BOTH(Gather##x, gather##x,                                                        \
                      (const void* in, N n, MPI_Datatype t, void* out, N m, MPI_Datatype u,        \
                       int at, MPI_Comm comm),                                                     \
                      (in, n, t, out, m, u, at, comm), root(at))                                   \
    DUCTILE_WRAP_BOTH(Gatherv##x, gatherv##x,                                                      \
                      (const void* in, N n, MPI_Datatype t, void* out, const N m[],                \
                       const D places[], MPI_Datatype u, int at, MPI_Comm comm),                   \
                      (in, n, t, out, m, places, u, at, comm), root(at))                           \
    DUCTILE_WRAP_BOTH(Scatter##x, scatter##x,                                                      \
                      (const void* in, N n, MPI_Datatype t, void* out, N m, MPI_Datatype u,        \
                       int at, MPI_Comm comm),                                                     \
                      (in, n, t, out, m, u, at, comm), root(at))                                   \
    DUCTILE_WRAP_BOTH(Scatterv##x, scatterv##x,                                                    \
                      (const void* in, const N n[], const D places[], MPI_Datatype t, void* out,   \
                       N m, MPI_Datatype u, int at, MPI_Comm comm),                                \
                      (in, n, places, t, out, m, u, at, comm), root(at))

#define DUCTILE_REDUCTION(name, small_name, N)                                             \
    DUCTILE_WRAP_BOTH(                                                                     \
        name, small_name,                                                                  \
        (const void* in, void* out, N count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), \
        (in, out, count, type, op, comm), nobody)
#define DUCTILE_EXCHANGE(name, small_name, N)                                                 \
    DUCTILE_WRAP_BOTH(                                                                        \
        name, small_name,                                                                     \
        (const void* in, N n, MPI_Datatype t, void* out, N m, MPI_Datatype u, MPI_Comm comm), \
        (in, n, t, out, m, u, comm), nobody)
#define DUCTILE_GATHERV(name, small_name, N, D)                                     \
    DUCTILE_WRAP_BOTH(name, small_name,                                             \
                      (const void* in, N n, MPI_Datatype t, void* out, const N m[], \
                       const D places[], MPI_Datatype u, MPI_Comm comm),            \
                      (in, n, t, out, m, places, u, comm), nobody)
#define DUCTILE_EXCHANGEV(name, small_name, N, D)                                                  \
    DUCTILE_WRAP_BOTH(                                                                             \
        name, small_name,                                                                          \
        (const void* in, const N n[], const D in_places[], MPI_Datatype t, void* out, const N m[], \
         const D out_places[], MPI_Datatype u, MPI_Comm comm),                                     \
        (in, n, in_places, t, out, m, out_places, u, comm), nobody)
#define DUCTILE_EXCHANGEW(name, small_name, N, D)                                             \
    DUCTILE_WRAP_BOTH(                                                                        \
        name, small_name,                                                                     \
        (const void* in, const N n[], const D in_places[], const MPI_Datatype t[], void* out, \
         const N m[], const D out_places[], const MPI_Datatype u[], MPI_Comm comm),           \
        (in, n, in_places, t, out, m, out_places, u, comm), nobody)

#define DUCTILE_UNROOTED(x, N, D)                                          \
    DUCTILE_REDUCTION(Allreduce##x, allreduce##x, N)                       \
    DUCTILE_REDUCTION(Scan##x, scan##x, N)                                 \
    DUCTILE_REDUCTION(Exscan##x, exscan##x, N)                             \
    DUCTILE_REDUCTION(Reduce_scatter_block##x, reduce_scatter_block##x, N) \
    DUCTILE_REDUCTION(Reduce_scatter##x, reduce_scatter##x, const N*)      \
    DUCTILE_EXCHANGE(Allgather##x, allgather##x, N)                        \
    DUCTILE_EXCHANGE(Alltoall##x, alltoall##x, N)                          \
    DUCTILE_EXCHANGE(Neighbor_allgather##x, neighbor_allgather##x, N)      \
    DUCTILE_EXCHANGE(Neighbor_alltoall##x, neighbor_alltoall##x, N)        \
    DUCTILE_GATHERV(Allgatherv##x, allgatherv##x, N, D)                    \
    DUCTILE_GATHERV(Neighbor_allgatherv##x, neighbor_allgatherv##x, N, D)  \
    DUCTILE_EXCHANGEV(Alltoallv##x, alltoallv##x, N, D)                    \
    DUCTILE_EXCHANGEV(Neighbor_alltoallv##x, neighbor_alltoallv##x, N, D)
// NOLINTEND(bugprone-macro-parentheses)

DUCTILE_WRAP_BOTH(Barrier, barrier, (MPI_Comm comm), (comm), nobody)
DUCTILE_ROOTED(, int, int)
DUCTILE_UNROOTED(, int, int)
DUCTILE_EXCHANGEW(Alltoallw, alltoallw, int, int)
DUCTILE_EXCHANGEW(Neighbor_alltoallw, neighbor_alltoallw, int, MPI_Aint)
#if MPI_VERSION >= 4
DUCTILE_ROOTED(_c, MPI_Count, MPI_Aint)
DUCTILE_UNROOTED(_c, MPI_Count, MPI_Aint)
DUCTILE_EXCHANGEW(Alltoallw_c, alltoallw_c, MPI_Count, MPI_Aint)
DUCTILE_EXCHANGEW(Neighbor_alltoallw_c, neighbor_alltoallw_c, MPI_Count, MPI_Aint)
#endif
