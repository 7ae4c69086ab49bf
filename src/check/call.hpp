// One call of MPI that the checks watch.
#pragma once

#include <mpi.h>

#include <cstring>

#include "check/call_site.hpp"
#include "check/communicators.hpp"

namespace ductile::check {

inline Handle handle_of(MPI_Comm comm) {
    Handle handle = 0;
    std::memcpy(&handle, &comm, sizeof(comm));
    return handle;
}

/// False until the environment is read.
extern bool is_on;

/// While this object lives, the program is in the call. Does nothing if the checks are off, or if
/// Ductile or MPI itself makes the call.
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

    /// The call has made `made` from `parent`.
    void made(MPI_Comm made, MPI_Comm parent) const {
        if (is_programs_) note_made(made, parent);
    }
    /// The call has made `made`, and its members are not known.
    void made(MPI_Comm made) const {
        if (is_programs_) note_made(made);
    }
    /// The call has begun this request.
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

/// While this object lives, the program waits for requests.
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
