/// \file
/// Process groups: members of a job that communicate together. Ductile chooses their ranks.
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
/// A group is a spanning tree over its members. Each member knows its parent and at most k
/// children, and keeps about 250 bytes (at k = 4), for any size of the group. MPI does not know the
/// groups, and they use none of its communicators. So a program can have thousands of groups,
/// although an MPI library may allow only 2,048 communicators. (Paper: balanced-spanning-trees.)
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ductile/error.hpp"
#include "ductile/job.hpp"

namespace ductile {

/// How the tree of a group is constructed (docs/process-groups.md).
enum class GroupAlgorithm {
    automatic,           ///< centralized or shrink_and_hash: the faster one by the cost model
    centralized,         ///< the root gathers all m members, with O(m) memory for a moment
    shrink_and_balance,  ///< members move until the tree is balanced
    shrink_and_hash,     ///< ranks are handed down; neighbours meet at intermediaries
};

/// Which process fills the place of a non-member while a tree is constructed.
enum class GroupFiller {
    automatic,  ///< leaf for shrink_and_balance, none for the other algorithms
    none,       ///< no process; not possible with shrink_and_balance
    child,      ///< a child of the non-member moves up
    leaf,       ///< a leaf below the non-member moves up
};

/// All processes that make a group need the same options. Otherwise the call fails or waits
/// forever.
struct GroupOptions {
    /// How the tree is constructed.
    GroupAlgorithm algorithm = GroupAlgorithm::automatic;
    /// Which processes take the places of processes that are not members.
    GroupFiller filler = GroupFiller::automatic;
    /// k, the maximum number of children in the tree: 2 to 1024.
    int branching = 4;
    /// The tree has one edge to each host. Hosts are told apart by their processor names; under
    /// `ductile run`, by the hosts of the job. An operation then crosses between hosts as seldom as
    /// possible, but the construction takes longer. A process can then have up to 2 k children. Not
    /// possible with shrink_and_hash. If the algorithm is `automatic`, it is centralized.
    bool by_host = false;
    /// Messages longer than this go through the tree in pieces, one behind the other. At least 1,
    /// and the same at all members.
    std::int64_t segment_bytes = 262144;
};

/// Selects one of several groups for a process: 0 or more, or MPI_UNDEFINED for no group.
struct GroupColour {
    /// The colour.
    int value = MPI_UNDEFINED;
};

/// An operation of a group in progress. It progresses inside calls of Ductile. Without calls it
/// progresses more slowly, in a thread of Ductile, which may then call an MPI_Op of the program. Do
/// not use or free its buffers, datatype or MPI_Op before it is complete. A resize and the end of
/// the Job complete the operation if all members have started it, and if this takes at most 10 s.
/// If not, a later wait() throws UsageError, and the buffers must stay.
class DUCTILE_PUBLIC GroupRequest {
  public:
    /// A request without an operation. It is complete.
    GroupRequest();
    /// Takes the operation over.
    GroupRequest(GroupRequest&&) noexcept;
    /// Swaps the two operations.
    GroupRequest& operator=(GroupRequest&&) noexcept;
    GroupRequest(const GroupRequest&) = delete;
    GroupRequest& operator=(const GroupRequest&) = delete;
    /// Waits until the operation is complete. During the unwinding of an exception it gives the
    /// operation up instead, and other members may wait forever. It ignores errors of the
    /// operation: call wait() to get them.
    ~GroupRequest();

    /// Whether the operation is complete here. Local. Throws MpiError.
    bool test();
    /// Blocks until the operation is complete here. Throws MpiError.
    void wait();

    class Impl;

  private:
    friend class ProcessGroup;
    explicit GroupRequest(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// A process group. A process that is not a member has a ProcessGroup object with member() false.
/// All members call collective operations in the same order, in one thread of each process. One
/// thread of a process makes groups. Up to 8 operations may be in progress in a group. `count` is
/// in elements of the datatype, may exceed 2^31, and is the same at all members.
///
/// Errors are local. InputError: a value is out of its bounds (rank, tag, count, null pointers and
/// handles). UsageError: the call is not possible, or the members disagree about an operation.
/// MpiError: MPI returned an error. After an error the other members may wait forever, so treat an
/// error in a group operation as an error of the program. Some MPI calls have no communicator.
/// Their errors (such as an MPI_Op that does not fit the datatype) go to the error handler of
/// MPI_COMM_WORLD, which aborts by default.
class DUCTILE_PUBLIC ProcessGroup {
  public:
    /// Makes a group of the ranks of a job that pass `member` as true. Collective over the job. A
    /// rank that is not a member does not wait for the members. Afterwards it answers messages of
    /// the other ranks in the background. Throws UsageError after `leave`, InputError for options
    /// out of their bounds, and MpiError.
    ProcessGroup(Job& job, bool member, const GroupOptions& options = {});
    /// Makes a group for each colour, as MPI_Comm_split without keys. Throws InputError for a
    /// negative colour other than MPI_UNDEFINED.
    ProcessGroup(Job& job, GroupColour colour, const GroupOptions& options = {});
    /// A plain number is not allowed: write a comparison (a bool), or GroupColour{...}.
    ProcessGroup(Job& job, int, const GroupOptions& options = {}) = delete;
    /// For a program without a Job: makes a group of all processes of an intracommunicator, with
    /// the same ranks. Collective. Duplicates the communicator twice, for this group and all groups
    /// that are split from it. In each process, the destructor of the last of these groups waits up
    /// to a minute until these groups have ended in all processes. MPI_Finalize ends the remaining
    /// groups (the library wraps it). If a tool calls PMPI_Finalize instead, end the groups before
    /// it. Throws UsageError for an intercommunicator and for MPI_COMM_NULL, and without
    /// MPI_THREAD_MULTIPLE.
    explicit ProcessGroup(MPI_Comm comm, const GroupOptions& options = {});

    /// Takes the group over.
    ProcessGroup(ProcessGroup&&) noexcept;
    /// Ends the group of this object, and takes the other group over.
    ProcessGroup& operator=(ProcessGroup&&) noexcept;
    ProcessGroup(const ProcessGroup&) = delete;
    ProcessGroup& operator=(const ProcessGroup&) = delete;
    /// Local, except for the last group of a communicator. All operations must be complete.
    ~ProcessGroup();

    /// Makes a group of members of this group. Collective over this group. Otherwise as the
    /// constructors.
    [[nodiscard]] ProcessGroup split(bool member) const;
    /// The same with other options than this group's.
    [[nodiscard]] ProcessGroup split(bool member, const GroupOptions& options) const;
    /// Makes a group for each colour. Collective over this group.
    [[nodiscard]] ProcessGroup split(GroupColour colour) const;
    /// The same with other options than this group's.
    [[nodiscard]] ProcessGroup split(GroupColour colour, const GroupOptions& options) const;
    ProcessGroup split(int) const = delete;
    ProcessGroup split(int, const GroupOptions& options) const = delete;
    /// Makes the group again after a resize of the job, with the same `member` or colour of each
    /// rank. All old ranks call renew() in the order in which they made their groups (a group
    /// before the groups that were split from it). At the same time new ranks make the same groups
    /// by their constructors. Ranks may change. The group from which this group was split must
    /// still exist. Throws UsageError for a group of a communicator, and for a call out of order.
    void renew();

    /// Whether this process is a member of the group. If it is not, the functions below throw
    /// UsageError. After a resize and before renew(), all functions throw UsageError.
    [[nodiscard]] bool member() const;
    /// The rank, 0 .. size()-1, which Ductile chooses. Rank 0 is the root of the tree. Local.
    [[nodiscard]] int rank() const;
    /// The number of members. Local.
    [[nodiscard]] int size() const;
    /// The number of bytes that this process holds for the group.
    [[nodiscard]] std::size_t bytes() const;
    /// The algorithm that made the group; never `automatic`. For a group of all processes of a
    /// communicator: centralized.
    [[nodiscard]] GroupAlgorithm algorithm() const;

    /// Blocks until all members have called it.
    void barrier() const;
    /// Sends `data` of rank `root` to all members. Blocking.
    void broadcast(void* data, std::int64_t count, MPI_Datatype type, int root = 0) const;
    /// The same, from the one member that passes `mine` as true. The other members need not know
    /// which one it is. If no member does, all wait; if several do, the data may differ.
    void share(bool mine, void* data, std::int64_t count, MPI_Datatype type) const;
    /// Combines `in` of all members, element by element, into `out` of rank `root`. Other members
    /// do not use `out`. `in` may be MPI_IN_PLACE at the root. The operation must be commutative
    /// (else UsageError). Sums of floating-point numbers depend on the shape of the tree. Blocking.
    void reduce(const void* in, void* out, std::int64_t count, MPI_Datatype type, MPI_Op op,
                int root = 0) const;
    /// The same, into `out` of all members. `in` may be MPI_IN_PLACE at each member.
    void allreduce(const void* in, void* out, std::int64_t count, MPI_Datatype type,
                   MPI_Op op) const;

    /// As barrier(), without blocking.
    [[nodiscard]] GroupRequest start_barrier() const;
    /// As broadcast(), without blocking.
    [[nodiscard]] GroupRequest start_broadcast(void* data, std::int64_t count, MPI_Datatype type,
                                               int root = 0) const;
    /// As reduce(), without blocking. Exception: if `root` is not 0, the first call may wait some
    /// milliseconds on rank 0, until rank 0 knows the process of the root.
    [[nodiscard]] GroupRequest start_reduce(const void* in, void* out, std::int64_t count,
                                            MPI_Datatype type, MPI_Op op, int root = 0) const;
    /// As allreduce(), without blocking.
    [[nodiscard]] GroupRequest start_allreduce(const void* in, void* out, std::int64_t count,
                                               MPI_Datatype type, MPI_Op op) const;

    /// Sends a message to another member. `to` is its rank in the group. The first message to a
    /// rank looks up the process of the rank: at an intermediary (shrink_and_hash) or along the
    /// tree. `tag`: 0 to max_tag. Both sides pass the same count. Blocking: like MPI_Send, send()
    /// may wait until the other side receives. A rank that sends to itself needs a receive in
    /// another thread.
    void send(const void* data, std::int64_t count, MPI_Datatype type, int to, int tag = 0) const;
    /// The other side of send().
    void receive(void* data, std::int64_t count, MPI_Datatype type, int from, int tag = 0) const;
    /// The highest tag.
    static constexpr int max_tag = 15;

    class Impl;

  private:
    explicit ProcessGroup(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
};

}  // namespace ductile
