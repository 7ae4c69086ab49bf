// The communicators of a program, and the effects of the job's resizes on them. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace ductile::check {

/// An MPI_Comm as a number. MPIs define MPI_Comm as different types.
using Handle = std::uintptr_t;

enum class Origin {
    unknown,  ///< nothing is known about it
    world,    ///< MPI_COMM_WORLD
    job,      ///< the job's communicator
    made,     ///< made from the job's communicator, directly or through others
    other,    ///< made from a world or an unknown communicator
};

struct Communicator {
    Origin origin = Origin::unknown;
    /// Invalid or useless, because the job has been resized since.
    bool old = false;
    /// The resize point at which the job's communicator began. A communicator that is `made` from
    /// the job's communicator has the point of the latter.
    std::int64_t point = 0;
    /// For each process: its rank in the job at that time. Empty if not known.
    std::vector<int> job_ranks;

    /// -1 if it is not known.
    [[nodiscard]] int job_rank(int rank) const;
};

class Communicators {
  public:
    explicit Communicators(Handle world);

    /// The job now has the members of this communicator. All communicators of the earlier job are
    /// old.
    void job_is(Handle handle, int ranks, std::int64_t point);
    void job_ends();
    /// The program has made `handle` from `from`. `places`: for each process its rank in `from`
    /// (empty if not known).
    void made(Handle handle, Handle from, const std::vector<int>& places);
    void freed(Handle handle);
    /// `handle` is a new communicator, about which nothing is known.
    void forget(Handle handle);

    [[nodiscard]] Communicator find(Handle handle) const;

  private:
    std::map<Handle, Communicator> known_;
    Handle world_;
};

}  // namespace ductile::check
