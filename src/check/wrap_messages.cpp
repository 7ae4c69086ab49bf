// Calls for messages between two processes.
#include "check/wrappers.hpp"

// NOLINTBEGIN(bugprone-macro-parentheses): types are pasted as they are
#define DUCTILE_SENDS(x, N)                             \
    DUCTILE_SEND(Send##x, Isend##x, Send_init##x, N)    \
    DUCTILE_SEND(Ssend##x, Issend##x, Ssend_init##x, N) \
    DUCTILE_SEND(Bsend##x, Ibsend##x, Bsend_init##x, N) \
    DUCTILE_SEND(Rsend##x, Irsend##x, Rsend_init##x, N)

#define DUCTILE_SEND_PARAMETERS(N) \
    (const void* data, N count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
#define DUCTILE_SEND_ARGUMENTS (data, count, type, dest, tag, comm)
#define DUCTILE_SEND(name, start, init, N)                                                         \
    DUCTILE_WRAP(message, name, DUCTILE_SEND_PARAMETERS(N), DUCTILE_SEND_ARGUMENTS, to(dest, tag)) \
    DUCTILE_WRAP_START(starts_message, start, DUCTILE_SEND_PARAMETERS(N), DUCTILE_SEND_ARGUMENTS,  \
                       to(dest, tag))                                                              \
    DUCTILE_WRAP_START(starts_message, init, DUCTILE_SEND_PARAMETERS(N), DUCTILE_SEND_ARGUMENTS,   \
                       to(dest, tag))

#define DUCTILE_RECEIVES(x, N)                                                                    \
    DUCTILE_WRAP(message, Recv##x,                                                                \
                 (void* data, N count, MPI_Datatype type, int source, int tag, MPI_Comm comm,     \
                  MPI_Status* status),                                                            \
                 (data, count, type, source, tag, comm, status), from(source, tag))               \
    DUCTILE_WRAP_START(                                                                           \
        starts_message, Irecv##x,                                                                 \
        (void* data, N count, MPI_Datatype type, int source, int tag, MPI_Comm comm),             \
        (data, count, type, source, tag, comm), from(source, tag))                                \
    DUCTILE_WRAP_START(                                                                           \
        starts_message, Recv_init##x,                                                             \
        (void* data, N count, MPI_Datatype type, int source, int tag, MPI_Comm comm),             \
        (data, count, type, source, tag, comm), from(source, tag))                                \
    DUCTILE_WRAP(message, Sendrecv##x,                                                            \
                 (const void* out, N out_count, MPI_Datatype out_type, int dest, int out_tag,     \
                  void* in, N in_count, MPI_Datatype in_type, int source, int in_tag,             \
                  MPI_Comm comm, MPI_Status* status),                                             \
                 (out, out_count, out_type, dest, out_tag, in, in_count, in_type, source, in_tag, \
                  comm, status),                                                                  \
                 source == MPI_PROC_NULL ? to(dest, out_tag) : from(source, in_tag))              \
    DUCTILE_WRAP(message, Sendrecv_replace##x,                                                    \
                 (void* data, N count, MPI_Datatype type, int dest, int out_tag, int source,      \
                  int in_tag, MPI_Comm comm, MPI_Status* status),                                 \
                 (data, count, type, dest, out_tag, source, in_tag, comm, status),                \
                 source == MPI_PROC_NULL ? to(dest, out_tag) : from(source, in_tag))
// NOLINTEND(bugprone-macro-parentheses)

DUCTILE_SENDS(, int)
DUCTILE_RECEIVES(, int)
#if MPI_VERSION >= 4
DUCTILE_SENDS(_c, MPI_Count)
DUCTILE_RECEIVES(_c, MPI_Count)
#endif

DUCTILE_WRAP(message, Probe, (int source, int tag, MPI_Comm comm, MPI_Status* status),
             (source, tag, comm, status), from(source, tag))
DUCTILE_WRAP(message, Mprobe,
             (int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status),
             (source, tag, comm, message, status), from(source, tag))
DUCTILE_WRAP(local, Iprobe, (int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status),
             (source, tag, comm, flag, status), from(source, tag))
DUCTILE_WRAP(local, Improbe,
             (int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
              MPI_Status* status),
             (source, tag, comm, flag, message, status), from(source, tag))

#define DUCTILE_WRAP_WAIT(name, parameters, arguments, count, requests)                    \
    extern "C" DUCTILE_PUBLIC int MPI_##name(DUCTILE_LIST parameters) {                    \
        const ductile::check::WrappedWaiting waiting(DUCTILE_SITE(name), count, requests); \
        return PMPI_##name(DUCTILE_LIST arguments);                                        \
    }

DUCTILE_WRAP_WAIT(Wait, (MPI_Request * request, MPI_Status* status), (request, status), 1, request)
DUCTILE_WRAP_WAIT(Waitall, (int count, MPI_Request* requests, MPI_Status* statuses),
                  (count, requests, statuses), count, requests)
DUCTILE_WRAP_WAIT(Waitany, (int count, MPI_Request* requests, int* index, MPI_Status* status),
                  (count, requests, index, status), count, requests)
DUCTILE_WRAP_WAIT(Waitsome,
                  (int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses),
                  (count, requests, done, indices, statuses), count, requests)
