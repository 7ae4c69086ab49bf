// What this process knows about its job, and about the program's use of communicators.
#pragma once

#include <mpi.h>

#include <array>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "check/call.hpp"
#include "check/communicators.hpp"
#include "check/own_code.hpp"
#include "check/rank_state.hpp"

namespace ductile::check {

/// What the view knows about an MPI call.
struct Seen {
    bool is_programs = false;
    std::string about;    ///< as in RankState
    int collective = 0;   ///< as in RankState
    std::string finding;  ///< a mistake, reported once for each place; empty: none
};

/// All threads of the process share one JobView, and may call it at the same time.
class JobView {
  public:
    JobView();

    void job_is(MPI_Comm job, std::int64_t point, bool newcomer);
    void job_ends();
    /// From now on the program may use MPI_COMM_WORLD.
    void world_is_job();

    Seen see(const CallSite& site, Kind kind, MPI_Comm comm, const Peer& peer);
    [[nodiscard]] bool is_programs(const void* caller) const;
    void made(MPI_Comm made, MPI_Comm from);
    void freed(MPI_Comm comm);
    void forget(MPI_Comm comm);
    void began(MPI_Request request, const CallSite& site, MPI_Comm comm, const Peer& peer);
    /// " for MPI_Irecv from rank 1, ..." for the first request that is known.
    [[nodiscard]] std::string about(int count, const MPI_Request* requests) const;

    /// "rank 1 of 4", or "a rank that has no Job yet".
    [[nodiscard]] std::string who() const;
    /// The state of this rank, with its collective calls.
    [[nodiscard]] RankState state() const;

  private:
    [[nodiscard]] std::string finding(const CallSite& site, const Communicator& comm,
                                      const std::string& about);
    [[nodiscard]] std::string name() const;

    mutable std::mutex mutex_;
    OwnCode own_code_;
    Communicators comms_;
    std::map<Handle, std::string> requests_;
    std::set<std::string> reported_;
    RankState counted_;
    int rank_ = -1;  ///< in the job; -1 before its Job
    int size_ = 0;
    bool one_world_ = false;
};

}  // namespace ductile::check
