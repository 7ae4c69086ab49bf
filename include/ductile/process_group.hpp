/// \file
/// Process groups: members of a job that communicate together, with ranks that the system gives.
///
/// ```
/// ductile::ProcessGroup even(job, job.rank() % 2 == 0);   // collective over the job
/// if (even.member()) {
///     double sum = 0;
///     even.allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM);
///     auto row = even.split(ductile::GroupColour{even.rank() / 4});   // a group for each colour
/// }
/// if (job.resize_point() == ductile::Resized::resized) even.renew();
/// ```
/// A group is a spanning tree over its members: each knows its parent and at most k children, and
/// keeps some 200 bytes, whatever the group's size; MPI knows nothing of it. There may be thousands
/// of groups where an MPI library ends at 2,048 communicators. (balanced-spanning-trees.)
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ductile/error.hpp"
#include "ductile/job.hpp"

namespace ductile {

/// How a group's tree is made (docs/process-groups.md).
enum class GroupAlgorithm {
    automatic,           ///< the one that the cost model says is the fastest at the parent's size
    centralized,         ///< all members are gathered at the root: O(m) memory there, for a moment
    shrink_and_balance,  ///< members move until the tree is balanced
    shrink_and_hash,     ///< ranks are handed out; neighbours find each other at intermediaries
};

/// How the place of a process that is no member is filled meanwhile.
enum class GroupFiller {
    automatic,  ///< none for shrink_and_hash, leaf for shrink_and_balance
    none,       ///< not at all; not for shrink_and_balance
    child,
    leaf,
};

/// The same on all processes that make a group: else it is not made, or the others wait for ever.
struct GroupOptions {
    GroupAlgorithm algorithm = GroupAlgorithm::automatic;
    GroupFiller filler = GroupFiller::automatic;
    /// k, the most children in the tree: 2 to 1024.
    int branching = 4;
    /// One edge of the tree to each host, as processors' names tell hosts: an operation crosses
    /// from host to host as seldom as can be, for a group that takes longer to make. A process may
    /// have 2 k children. Not with shrink_and_hash; `automatic` is centralized then.
    bool by_host = false;
    /// The same at all members. Messages longer than this go through the tree in pieces, one behind
    /// the other; at least 1.
    std::int64_t segment_bytes = 262144;
};

/// Which of several groups a process is in: 0 or more, or MPI_UNDEFINED for none.
struct GroupColour {
    int value = MPI_UNDEFINED;
};

/// An operation of a group that is under way. It goes on in calls of Ductile and, more slowly, by
/// itself, in a thread of Ductile's that then also calls an MPI_Op of the program's. Its buffers,
/// datatype and operation may not be touched or freed before it is complete. A resize and the
/// end of its Job complete it, if all members have started it; else wait() throws UsageError then,
/// and its buffers must stay.
class DUCTILE_PUBLIC GroupRequest {
  public:
    GroupRequest();
    GroupRequest(GroupRequest&&) noexcept;
    GroupRequest& operator=(GroupRequest&&) noexcept;
    GroupRequest(const GroupRequest&) = delete;
    GroupRequest& operator=(const GroupRequest&) = delete;
    /// Waits, unless an exception is on its way; then the operation is given up, and other members
    /// may wait for ever. Errors are lost here: call wait().
    ~GroupRequest();

    /// Whether the operation is complete here. Local. Throws MpiError.
    bool test();
    /// Blocks until it is. Throws MpiError.
    void wait();

    class Impl;

  private:
    friend class ProcessGroup;
    explicit GroupRequest(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// A group, or, in a process that is no member, the knowledge of not being one. Collective
/// operations are called by all members in the same order, by one thread of each, and groups are
/// made by one thread of a process. Up to 8 operations may be under way in a group. `count` is in
/// elements of the datatype, may exceed 2^31, and is the same at all members.
///
/// Errors are local: InputError for a value out of its bounds (rank, tag, count, null pointers and
/// handles), UsageError for a call that is not possible, also if members are seen to disagree about
/// an operation; the other members may wait for ever, so an error inside a group's operations is
/// one of the program. MpiError where MPI returns one; what MPI finds out in calls that have no
/// communicator (an operation that does not fit the datatype) goes to MPI_COMM_WORLD's handler,
/// which by default aborts.
class DUCTILE_PUBLIC ProcessGroup {
  public:
    /// The members among the ranks of a job. Collective over the job; a rank that is no member
    /// returns at once and serves the others in the background. Throws UsageError where MPI has no
    /// MPI_THREAD_MULTIPLE, InputError for options out of their bounds, MpiError.
    ProcessGroup(Job& job, bool member, const GroupOptions& options = {});
    /// A group for each colour, as MPI_Comm_split without keys. Throws InputError for a negative
    /// colour other than MPI_UNDEFINED.
    ProcessGroup(Job& job, GroupColour colour, const GroupOptions& options = {});
    /// A number is neither: write `== ...`, or GroupColour{...}.
    ProcessGroup(Job& job, int, const GroupOptions& options = {}) = delete;
    /// All processes of an intracommunicator, with its ranks, as a group of a program without a
    /// Job. Collective; it is duplicated twice, for this group and all that come of it. The last of
    /// these to end in a process waits, for a minute at most, until they have ended in all.
    /// MPI_Finalize ends those that are left (the library wraps it; where a tool calls
    /// PMPI_Finalize in its place, end them before). Throws UsageError for an intercommunicator.
    explicit ProcessGroup(MPI_Comm comm, const GroupOptions& options = {});

    ProcessGroup(ProcessGroup&&) noexcept;
    ProcessGroup& operator=(ProcessGroup&&) noexcept;
    ProcessGroup(const ProcessGroup&) = delete;
    ProcessGroup& operator=(const ProcessGroup&) = delete;
    /// Local, but for the last group of a communicator. All operations are complete.
    ~ProcessGroup();

    /// The members among this group's. Collective over this group; otherwise as the constructors.
    [[nodiscard]] ProcessGroup split(bool member) const;
    [[nodiscard]] ProcessGroup split(bool member, const GroupOptions& options) const;
    [[nodiscard]] ProcessGroup split(GroupColour colour) const;
    [[nodiscard]] ProcessGroup split(GroupColour colour, const GroupOptions& options) const;
    ProcessGroup split(int) const = delete;
    ProcessGroup split(int, const GroupOptions& options) const = delete;
    /// Makes the group again, after a resize of the job, with the same answer or colour of each
    /// rank. Called by all ranks that had it, in the order in which groups were made (a group
    /// before those that were split from it), while newcomers make the same groups by their
    /// constructors. Ranks may change. The group that it was split from must still exist. Throws
    /// UsageError for a group of a communicator, and out of order.
    void renew();

    /// Whether this process is in the group. All below throw UsageError where it is not; all throw
    /// it after a resize, before renew().
    [[nodiscard]] bool member() const;
    /// 0 .. size()-1, given by the system; rank 0 is the root of the tree. Local.
    [[nodiscard]] int rank() const;
    [[nodiscard]] int size() const;
    /// Bytes that this process holds for the group.
    [[nodiscard]] std::size_t bytes() const;
    /// The algorithm that made it: what `automatic` chose. (Of all processes of a communicator:
    /// centralized.)
    [[nodiscard]] GroupAlgorithm algorithm() const;

    /// Blocks until all members have called it.
    void barrier() const;
    /// `data` of rank `root` to all. Blocking.
    void broadcast(void* data, std::int64_t count, MPI_Datatype type, int root = 0) const;
    /// The same from the one member that says `mine`; the others need not know which it is. With
    /// none all wait; with several the data may differ.
    void share(bool mine, void* data, std::int64_t count, MPI_Datatype type) const;
    /// The members' `in`, element by element, to `out` of rank `root`; elsewhere `out` is not used.
    /// `in` may be MPI_IN_PLACE at the root. The operation must be commutative (else UsageError);
    /// sums of floating-point numbers depend on the tree's shape. Blocking.
    void reduce(const void* in, void* out, std::int64_t count, MPI_Datatype type, MPI_Op op,
                int root = 0) const;
    /// The same to `out` of all; `in` may be MPI_IN_PLACE everywhere.
    void allreduce(const void* in, void* out, std::int64_t count, MPI_Datatype type,
                   MPI_Op op) const;

    /// The same without blocking. (start_reduce to another root than 0 may wait on rank 0 for an
    /// answer about the root's process, some milliseconds, the first time.)
    [[nodiscard]] GroupRequest start_barrier() const;
    [[nodiscard]] GroupRequest start_broadcast(void* data, std::int64_t count, MPI_Datatype type,
                                               int root = 0) const;
    [[nodiscard]] GroupRequest start_reduce(const void* in, void* out, std::int64_t count,
                                            MPI_Datatype type, MPI_Op op, int root = 0) const;
    [[nodiscard]] GroupRequest start_allreduce(const void* in, void* out, std::int64_t count,
                                               MPI_Datatype type, MPI_Op op) const;

    /// One member to another, by ranks of the group. The process of a rank is looked up at its
    /// first use: at the rank's intermediary (shrink_and_hash) or along the tree. `tag`: 0 to
    /// max_tag. Both sides give the same count. Blocking: as MPI_Send, send() may wait until the
    /// other receives, and to one's own rank it needs another thread that does.
    void send(const void* data, std::int64_t count, MPI_Datatype type, int to, int tag = 0) const;
    void receive(void* data, std::int64_t count, MPI_Datatype type, int from, int tag = 0) const;
    static constexpr int max_tag = 15;

    class Impl;

  private:
    explicit ProcessGroup(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
};

}  // namespace ductile
