// What all groups over one communicator share: who makes and finds them, and for how long.
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

/// This processor's name, as MPI has it.
std::string processor_name();

/// The groups of one communicator's processes. They need two communicators of MPI's together, so
/// their number is not bounded by MPI's.
///
/// A helper thread, asleep between looks, answers for a process which is elsewhere in its program:
/// a hole or an intermediary of shrink-and-hash, or a process whose children enrol late.
class GroupSpace {
  public:
    using UnderWay = groups::UnderWay;

    /// Collective over `comm`, which is duplicated twice. `host` tells this process's host from
    /// others; the processor's name, if there is no better one. `generation`: the same at all, and
    /// another one for the next space of these processes.
    explicit GroupSpace(MPI_Comm comm, const std::string& host = processor_name(),
                        std::int64_t generation = 0);
    ~GroupSpace();
    GroupSpace(const GroupSpace&) = delete;
    GroupSpace& operator=(const GroupSpace&) = delete;

    /// Ends the helper and frees the communicators: groups of this space are of no use any more.
    /// Operations under way are completed, if that takes no more than ten seconds (and no exception
    /// is on its way), else they have failed and are left to MPI. At a moment at which no process
    /// waits for another in a group's call; all processes retire at about the same time.
    void retire();
    /// The same once all processes have come here: until then others may need this one's helper.
    /// Waits for a minute at most. It is what happens at MPI_Finalize, too.
    void finish();
    [[nodiscard]] bool retired() const { return retired_; }
    /// Throws UsageError once retired.
    void require_live() const;

    /// For collective operations, and for messages and packets.
    [[nodiscard]] MPI_Comm comm() const { return comm_.get(); }
    [[nodiscard]] MPI_Comm messages() const { return messages_.get(); }
    [[nodiscard]] tree::ProcessId self() const { return place_.self; }
    [[nodiscard]] int size() const { return place_.size; }
    /// The first of the processes on this one's host.
    [[nodiscard]] tree::ProcessId host() const { return place_.host; }
    /// The key of the group of all, out of which others are made.
    [[nodiscard]] GroupKey root_key() const { return place_.root_key; }

    /// Groups are renewed in the order in which they were made: whether this one, by its number,
    /// comes after those that were renewed before.
    [[nodiscard]] bool is_renewed_in_order(std::uint32_t made) {
        const bool in_order = made > last_renewed_;
        if (in_order) last_renewed_ = made;
        return in_order;
    }

    /// The number of the next enrolment in the group of all: counted here, since that group has no
    /// object of its own.
    std::uint32_t next_of_all() { return next_of_all_++; }

    /// Takes part in making groups out of the group in which this process has `position`. Called by
    /// all its members, in the same order for every two enrolments of a group. A process with a
    /// colour waits until it has its position; one without returns after a fraction of a
    /// millisecond, and the helper does what is left for it to do. `also_in_use`: a label that is
    /// in use here beside those of open groups, if there is one. Throws MpiError.
    std::optional<tree::TreePosition> enrol(GroupKey enrolment, const tree::Method& method,
                                            const tree::TreePosition& position,
                                            std::optional<tree::Colour> own, int also_in_use = 0);

    /// A group that an enrolment made is alive here from now on: others may ask for its ranks, and
    /// its label is taken. `position` lives until close().
    void open(GroupKey enrolment, tree::Colour colour, const tree::TreePosition& position);
    /// It is not any more. Local; the intermediary of shrink-and-hash is told. Never throws.
    void close(GroupKey enrolment, tree::Colour colour,
               const tree::TreePosition& position) noexcept;
    /// Who has this rank of the group; waits for the answer. Shrink-and-hash: H(rank) is asked;
    /// else the group's tree is, up to the root and down, where the positions of the last groups
    /// that were closed still answer. Throws TimeoutError after a minute.
    tree::ProcessId holder(GroupKey enrolment, tree::Colour colour,
                           const tree::TreePosition& position, int rank);

    /// Carries an operation out; others that are under way go on meanwhile.
    void run(std::unique_ptr<Operation> operation);
    /// Has an operation under way: it goes on in these calls and, more slowly, by itself.
    std::shared_ptr<UnderWay> start(std::unique_ptr<Operation> operation);
    /// Whether it is over. Throws what it failed with.
    bool test(const std::shared_ptr<UnderWay>& under_way) { return operations_.test(under_way); }
    /// Gives it up.
    void abandon(const std::shared_ptr<UnderWay>& under_way) { operations_.abandon(under_way); }

  private:
    /// Where this process is; nothing of it changes.
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

/// Tags of a label, of either communicator. MPI libraries have as few as 2^18 tags, which leaves
/// 16,383 labels.
namespace tags {
inline constexpr int a_label = 16;
inline constexpr int packets = 0;     ///< label 0, of messages()
inline constexpr int operations = 8;  ///< collective operations under way in one group
inline constexpr int redirected = 8;  ///< from rank 0 to the root of a reduction
inline constexpr int most_user = a_label - 1;
}  // namespace tags

}  // namespace ductile::groups
