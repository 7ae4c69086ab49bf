// One call of MPI that goes through the wrappers.
#pragma once

#include <mpi.h>

#include <cstring>

#include "check/communicators.hpp"

namespace ductile::check {

inline Handle handle_of(MPI_Comm comm) {
    Handle handle = 0;
    std::memcpy(&handle, &comm, sizeof(comm));
    return handle;
}

/// What a call does with its communicator.
enum class Kind {
    local,    ///< asks it for a number
    message,  ///< may wait for another process
    collective,
    starts_message,  ///< does not wait, begins a request
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

/// Off until the environment has said otherwise.
extern bool is_on;

/// While it lives, the program is in the call. Nothing when the checks are off, or when Ductile or
/// MPI itself calls.
class Call {
  public:
    Call(CallSite site, Kind kind, MPI_Comm comm, Peer peer = nobody) {
        if (is_on) [[unlikely]]
            enter(site, kind, comm, peer);
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() {
        if (is_entered_) leave();
    }

    /// It has made `made` from `parent`.
    void made(MPI_Comm made, MPI_Comm parent) const {
        if (is_programs_) note_made(made, parent);
    }
    /// It has made `made`, in a way that tells nothing of it.
    void made(MPI_Comm made) const {
        if (is_programs_) note_made(made);
    }
    /// It has begun this request.
    void began(MPI_Request request) const {
        if (is_programs_) note_began(request);
    }

  private:
    void enter(CallSite site, Kind kind, MPI_Comm comm, Peer peer);
    void leave();
    static void note_made(MPI_Comm made, MPI_Comm parent);
    static void note_made(MPI_Comm made);
    void note_began(MPI_Request request) const;

    bool is_programs_ = false;
    bool is_entered_ = false;
    CallSite site_{};
    MPI_Comm comm_ = MPI_COMM_NULL;
    Peer peer_;
};

/// While it lives, the program waits for requests.
class Waiting {
  public:
    Waiting(CallSite site, int count, const MPI_Request* requests) {
        if (is_on) [[unlikely]]
            enter(site, count, requests);
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() {
        if (is_entered_) leave();
    }

  private:
    void enter(CallSite site, int count, const MPI_Request* requests);
    void leave();

    bool is_entered_ = false;
};

/// A communicator has been freed.
void freed(MPI_Comm comm);

}  // namespace ductile::check
