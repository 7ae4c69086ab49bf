// One call of MPI whose time is measured.
#pragma once

#include <mpi.h>

#include <chrono>

#include "check/call_site.hpp"

namespace ductile::check {

/// The time that a thread has spent in calls of MPI. A call within another call counts once.
class MpiTime {
  public:
    using Clock = std::chrono::steady_clock;

    void enter() {
        if (depth_++ == 0) entered_ = Clock::now();
    }
    void leave() {
        if (--depth_ == 0) total_ += Clock::now() - entered_;
    }
    [[nodiscard]] double seconds() const { return std::chrono::duration<double>(total_).count(); }

  private:
    int depth_ = 0;
    Clock::time_point entered_;
    Clock::duration total_{0};
};

/// Each thread measures its own calls. So the calls of Ductile's helper threads do not count for
/// the program's thread.
inline thread_local MpiTime mpi_time_of_this_thread;

/// While this object lives, the thread is in the call. The arguments are those of Call.
class TimedCall {
  public:
    TimedCall(const CallSite& /*site*/, Kind /*kind*/, MPI_Comm /*comm*/,
              const Peer& /*peer*/ = nobody) {
        mpi_time_of_this_thread.enter();
    }
    TimedCall(const TimedCall&) = delete;
    TimedCall& operator=(const TimedCall&) = delete;
    ~TimedCall() { mpi_time_of_this_thread.leave(); }

    void began(MPI_Request /*request*/) const {}
};

/// While this object lives, the thread waits for requests. The arguments are those of Waiting.
class TimedWaiting {
  public:
    TimedWaiting(const CallSite& /*site*/, int /*count*/, const MPI_Request* /*requests*/) {
        mpi_time_of_this_thread.enter();
    }
    TimedWaiting(const TimedWaiting&) = delete;
    TimedWaiting& operator=(const TimedWaiting&) = delete;
    ~TimedWaiting() { mpi_time_of_this_thread.leave(); }
};

}  // namespace ductile::check
