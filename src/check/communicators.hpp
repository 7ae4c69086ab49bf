// The communicators of a program, and what became of each at the job's resizes. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace ductile::check {

/// MPI_Comm, whatever type an MPI gives it.
using Handle = std::uintptr_t;

enum class Origin {
    unknown,  ///< nothing is known of it
    world,    ///< MPI_COMM_WORLD
    job,      ///< the job's own
    made,     ///< made from the job's, directly or over others
    other,    ///< made from one of the two others
};

struct Communicator {
    Origin origin = Origin::unknown;
    /// Void, or of no use: the job has been resized since.
    bool old = false;
    /// The resize point since which the job has been, or was, as it is with this communicator.
    std::int64_t point = 0;
    /// Process by process its rank in the job of that time; empty where that is not known.
    std::vector<int> job_ranks;

    /// -1 when it is not known.
    [[nodiscard]] int job_rank(int rank) const;
};

class Communicators {
  public:
    explicit Communicators(Handle world);

    /// The job is as it is in this communicator. All that came from an earlier one is old.
    void job_is(Handle handle, int ranks, std::int64_t point);
    void job_ends();
    /// The program has made `handle` from `from`; `places`: process by process its rank in `from`
    /// (empty when that is not known).
    void made(Handle handle, Handle from, const std::vector<int>& places);
    void freed(Handle handle);
    /// `handle` is a new one, of which nothing is known.
    void forget(Handle handle);

    [[nodiscard]] Communicator find(Handle handle) const;

  private:
    std::map<Handle, Communicator> known_;
    Handle world_;
};

}  // namespace ductile::check
