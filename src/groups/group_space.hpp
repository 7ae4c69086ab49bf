// What all groups over one communicator share. It makes groups, finds their ranks, and limits their
// lifetime.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "groups/at_finalize.hpp"
#include "groups/group_transport.hpp"
#include "groups/progress_engine.hpp"
#include "mpi/comm.hpp"

namespace ductile::groups {

/// The name of this processor in MPI.
std::string processor_name();

/// The groups of the processes of one communicator. All groups share two communicators of MPI. So
/// the tags of MPI limit the number of groups (see `tags`), and its communicators do not.
///
/// A helper thread looks for packets from time to time. It answers them while the process is busy
/// in its program. Such a process gets packets if it is in none of the new groups (a hole), if it
/// is an intermediary of shrink-and-hash, or if its children enrol late.
class GroupSpace {
  public:
    using PendingOperation = groups::PendingOperation;

    /// Collective over `comm`, which is duplicated twice. `host` distinguishes this process's host
    /// from others; by default it is the processor's name. `generation`: the same number on all
    /// processes, and another one for the next space of these processes.
    explicit GroupSpace(MPI_Comm comm, const std::string& host = processor_name(),
                        std::int64_t generation = 0);
    ~GroupSpace();
    GroupSpace(const GroupSpace&) = delete;
    GroupSpace& operator=(const GroupSpace&) = delete;

    /// Ends the helper and frees the communicators: groups of this space become invalid. Pending
    /// operations are completed, if that takes at most ten seconds (and no exception is
    /// propagating). Otherwise they fail, and their memory is left to MPI. Call it when no process
    /// waits for another in a call of a group. All processes must retire at about the same time.
    void retire();
    /// Waits until MPI has sent the packets of this process and all processes have come here,
    /// because they may need this process's helper until then. After a minute, prints a message and
    /// waits no longer. Then does the same as retire(). MPI_Finalize calls finish(), too.
    void finish();
    [[nodiscard]] bool retired() const { return retired_; }
    /// Throws UsageError after retire().
    void require_live() const;

    /// The two communicators: comm() is for collective operations, messages() for messages and
    /// packets.
    [[nodiscard]] MPI_Comm comm() const { return comm_.get(); }
    [[nodiscard]] MPI_Comm messages() const { return messages_.get(); }
    [[nodiscard]] tree::ProcessId self() const { return place_.self; }
    [[nodiscard]] int size() const { return place_.size; }
    /// The first process on this host.
    [[nodiscard]] tree::ProcessId host() const { return place_.host; }
    /// The key of the group of all processes, from which other groups are made.
    [[nodiscard]] GroupKey root_key() const { return place_.root_key; }

    /// Groups must be renewed in the order in which they were made. Returns whether group number
    /// `made` was made after all groups that have been renewed already. If so, the group counts as
    /// renewed from now on.
    [[nodiscard]] bool is_renewed_in_order(std::uint32_t made) {
        const bool in_order = made > last_renewed_;
        if (in_order) last_renewed_ = made;
        return in_order;
    }

    /// The number of the next enrolment in the group of all processes. It is counted here, because
    /// that group has no object of its own.
    std::uint32_t next_of_all() { return next_of_all_++; }

    /// Takes part in making groups from the parent group, in which this process has `position`. All
    /// members of the parent group call this, in the same order for all its enrolments. A process
    /// with a colour waits until it has its position. A process without a colour returns within a
    /// fraction of a millisecond, and the helper does the rest of its work. `also_in_use`: one more
    /// label in use here, beside the labels of open groups; 0: none. Throws MpiError. Throws
    /// UsageError after retire(), while another thread makes a group, and if MPI has too few tags.
    std::optional<tree::TreePosition> enrol(GroupKey enrolment, const tree::Method& method,
                                            const tree::TreePosition& position,
                                            std::optional<tree::Colour> own, int also_in_use = 0);

    /// Opens a group that an enrolment made: others may ask for its ranks, and its label is in use.
    /// `position` must live until close().
    void open(GroupKey enrolment, tree::Colour colour, const tree::TreePosition& position);
    /// Closes the group. Local. With shrink-and-hash, tells the process H(rank), unless the space
    /// has retired. Never throws.
    void close(GroupKey enrolment, tree::Colour colour,
               const tree::TreePosition& position) noexcept;
    /// The process that has this rank of the group. Asks other processes if the answer is not known
    /// here, and waits. With shrink-and-hash the question goes to the process H(rank)
    /// (tree/rank_hash.hpp). Otherwise it goes along the tree of the group, up to the root and
    /// down. Processes that have closed the group recently still answer. Throws TimeoutError after
    /// a minute.
    tree::ProcessId holder(GroupKey enrolment, tree::Colour colour,
                           const tree::TreePosition& position, int rank);

    /// Carries out an operation. Other pending operations continue meanwhile.
    void run(std::unique_ptr<Operation> operation);
    /// Starts an operation. It continues in calls of run(), start() and test() and, more slowly, in
    /// the helper.
    std::shared_ptr<PendingOperation> start(std::unique_ptr<Operation> operation);
    /// Whether the operation has ended. Throws its error if it failed.
    bool test(const std::shared_ptr<PendingOperation>& pending) {
        return operations_.test(pending);
    }
    /// Gives up the operation.
    void abandon(const std::shared_ptr<PendingOperation>& pending) { operations_.abandon(pending); }

  private:
    /// Where this process is. Does not change.
    struct Place {
        tree::ProcessId self;
        int size = 1;
        tree::ProcessId host;
        GroupKey root_key;
        int most_labels = 0;
    };
    static Place place_in(const mpi::Comm& comm, const std::string& host, std::int64_t generation);

    mpi::Comm comm_;
    mpi::Comm messages_;
    const Place place_;
    std::uint32_t next_of_all_ = 0;
    std::uint32_t last_renewed_ = 0;
    std::atomic<bool> retired_{false};
    GroupTransport transport_;
    ProgressEngine operations_;
    HelperThread helper_;
    AtFinalize at_finalize_{[this] { finish(); }};
};

/// Each label has `a_label` tags, in both communicators. Some MPI libraries have only 2^18 tags,
/// which gives 16,383 labels.
namespace tags {
inline constexpr int a_label = 16;
inline constexpr int packets = 0;     ///< label 0, of messages()
inline constexpr int operations = 8;  ///< most collective operations under way in one group
inline constexpr int redirected = 8;  ///< first tag for messages from rank 0 to a reduction's root
inline constexpr int most_user = a_label - 1;  ///< largest tag of ProcessGroup's messages
}  // namespace tags

}  // namespace ductile::groups
