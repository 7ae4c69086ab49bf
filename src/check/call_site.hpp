// What the wrappers know about a call of MPI.
#pragma once

#include <mpi.h>

namespace ductile::check {

/// How a call uses its communicator.
enum class Kind {
    local,    ///< only reads a property of the communicator
    message,  ///< may wait for another process
    collective,
    starts_message,  ///< begins a request, and does not wait
    starts_collective,
};

/// The other process of a call, if it has one.
struct Peer {
    enum class Side { none, from, to, root };
    Side side = Side::none;
    int rank = 0;
    int tag = MPI_ANY_TAG;
};
inline constexpr Peer nobody{};
inline Peer from(int rank, int tag) {
    return {Peer::Side::from, rank, tag};
}
inline Peer to(int rank, int tag) {
    return {Peer::Side::to, rank, tag};
}
inline Peer root(int rank) {
    return {Peer::Side::root, rank, MPI_ANY_TAG};
}

struct CallSite {
    const char* name;
    const void* caller;
};

}  // namespace ductile::check
