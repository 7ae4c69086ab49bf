// Calls that make communicators and similar objects, free them, and read their properties.
#include <dlfcn.h>

#include "check/wrappers.hpp"
#include "engine/check_hook.hpp"

DUCTILE_WRAP(local, Comm_rank, (MPI_Comm comm, int* rank), (comm, rank), nobody)
DUCTILE_WRAP(local, Comm_size, (MPI_Comm comm, int* size), (comm, size), nobody)
DUCTILE_WRAP(local, Comm_group, (MPI_Comm comm, MPI_Group* group), (comm, group), nobody)

DUCTILE_WRAP_MAKER(Comm_dup, (MPI_Comm comm), (comm))
DUCTILE_WRAP_MAKER(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info), (comm, info))
DUCTILE_WRAP_MAKER(Comm_split, (MPI_Comm comm, int colour, int key), (comm, colour, key))
DUCTILE_WRAP_MAKER(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info),
                   (comm, type, key, info))
DUCTILE_WRAP_MAKER(Comm_create, (MPI_Comm comm, MPI_Group group), (comm, group))
DUCTILE_WRAP_MAKER(Cart_create,
                   (MPI_Comm comm, int dimensions, const int sizes[], const int periods[],
                    int reorder),
                   (comm, dimensions, sizes, periods, reorder))
DUCTILE_WRAP_MAKER(Cart_sub, (MPI_Comm comm, const int remain[]), (comm, remain))
DUCTILE_WRAP_MAKER(Graph_create,
                   (MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder),
                   (comm, nodes, index, edges, reorder))
DUCTILE_WRAP_MAKER(Dist_graph_create,
                   (MPI_Comm comm, int n, const int sources[], const int degrees[],
                    const int targets[], const int weights[], MPI_Info info, int reorder),
                   (comm, n, sources, degrees, targets, weights, info, reorder))
DUCTILE_WRAP_MAKER(Dist_graph_create_adjacent,
                   (MPI_Comm comm, int n, const int sources[], const int in_weights[], int m,
                    const int targets[], const int out_weights[], MPI_Info info, int reorder),
                   (comm, n, sources, in_weights, m, targets, out_weights, info, reorder))
DUCTILE_WRAP_MAKER(Intercomm_merge, (MPI_Comm comm, int high), (comm, high))

// These calls are not collective over the whole communicator, or complete later.
extern "C" DUCTILE_PUBLIC int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag,
                                                    MPI_Comm* new_comm) {
    using namespace ductile::check;
    const Call call(DUCTILE_SITE(Comm_create_group), Kind::message, comm);
    const int code = PMPI_Comm_create_group(comm, group, tag, new_comm);
    if (code == MPI_SUCCESS) call.made(*new_comm, comm);
    return code;
}

extern "C" DUCTILE_PUBLIC int MPI_Intercomm_create(MPI_Comm comm, int leader, MPI_Comm bridge,
                                                   int remote_leader, int tag, MPI_Comm* new_comm) {
    using namespace ductile::check;
    const Call call(DUCTILE_SITE(Intercomm_create), Kind::collective, comm);
    const int code = PMPI_Intercomm_create(comm, leader, bridge, remote_leader, tag, new_comm);
    if (code == MPI_SUCCESS) call.made(*new_comm, comm);
    return code;
}

extern "C" DUCTILE_PUBLIC int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* new_comm,
                                            MPI_Request* request) {
    using namespace ductile::check;
    const Call call(DUCTILE_SITE(Comm_idup), Kind::starts_collective, comm);
    const int code = PMPI_Comm_idup(comm, new_comm, request);
    if (code == MPI_SUCCESS) {
        call.made(*new_comm);
        call.began(*request);
    }
    return code;
}

// Communicators with processes of other worlds.
#define DUCTILE_WRAP_JOINER(name, parameters, arguments)                \
    extern "C" DUCTILE_PUBLIC int MPI_##name(DUCTILE_LIST parameters) { \
        using namespace ductile::check;                                 \
        const Call call(DUCTILE_SITE(name), Kind::collective, comm);    \
        const int code = PMPI_##name(DUCTILE_LIST arguments);           \
        if (code == MPI_SUCCESS) call.made(*new_comm);                  \
        return code;                                                    \
    }

DUCTILE_WRAP_JOINER(Comm_spawn,
                    (const char* program, char** words, int ranks, MPI_Info info, int at,
                     MPI_Comm comm, MPI_Comm* new_comm, int codes[]),
                    (program, words, ranks, info, at, comm, new_comm, codes))
DUCTILE_WRAP_JOINER(Comm_spawn_multiple,
                    (int count, char* programs[], char** words[], const int ranks[],
                     const MPI_Info infos[], int at, MPI_Comm comm, MPI_Comm* new_comm,
                     int codes[]),
                    (count, programs, words, ranks, infos, at, comm, new_comm, codes))
DUCTILE_WRAP_JOINER(Comm_accept,
                    (const char* port, MPI_Info info, int at, MPI_Comm comm, MPI_Comm* new_comm),
                    (port, info, at, comm, new_comm))
DUCTILE_WRAP_JOINER(Comm_connect,
                    (const char* port, MPI_Info info, int at, MPI_Comm comm, MPI_Comm* new_comm),
                    (port, info, at, comm, new_comm))

extern "C" DUCTILE_PUBLIC int MPI_Comm_free(MPI_Comm* comm) {
    const auto was = *comm;
    const int code = PMPI_Comm_free(comm);
    if (code == MPI_SUCCESS) ductile::check::freed(was);
    return code;
}

extern "C" DUCTILE_PUBLIC int MPI_Comm_disconnect(MPI_Comm* comm) {
    const auto was = *comm;
    const int code = PMPI_Comm_disconnect(comm);
    if (code == MPI_SUCCESS) ductile::check::freed(was);
    return code;
}

DUCTILE_WRAP(collective, Win_create,
             (void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* window),
             (base, size, unit, info, comm, window), nobody)
DUCTILE_WRAP(collective, Win_allocate,
             (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* window),
             (size, unit, info, comm, base, window), nobody)
DUCTILE_WRAP(collective, Win_allocate_shared,
             (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* window),
             (size, unit, info, comm, base, window), nobody)
DUCTILE_WRAP(collective, Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win* window),
             (info, comm, window), nobody)
DUCTILE_WRAP(collective, File_open,
             (MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* file),
             (comm, name, mode, info, file), nobody)

// libductile wraps MPI_Finalize, too, and so may the program. So this wrapper calls the next one.
extern "C" DUCTILE_PUBLIC int MPI_Finalize() {
    using Finalize = int (*)();
    static const auto next = reinterpret_cast<Finalize>(::dlsym(RTLD_NEXT, "MPI_Finalize"));
    ductile_check_no_job();
    ductile_check_waits("MPI_Finalize");
    const int code = next != nullptr ? next() : PMPI_Finalize();
    ductile_check_waits(nullptr);
    return code;
}
