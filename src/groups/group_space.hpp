// What all groups over one communicator share: their letters, who answers them, and the labels.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "groups/at_finalize.hpp"
#include "groups/group_key.hpp"
#include "groups/letters.hpp"
#include "groups/operation.hpp"
#include "groups/post.hpp"
#include "mpi/comm.hpp"
#include "tree/builder.hpp"
#include "tree/rank_directory.hpp"

namespace ductile::groups {

/// The groups of one communicator's processes. They need two communicators of MPI's together, so
/// their number is not bounded by MPI's.
///
/// Letters are read by whoever waits for one, and by a helper thread, asleep between looks, so that
/// a process which is elsewhere in its program still answers: a hole or an intermediary of
/// shrink-and-hash, or a process whose children enrol late.
class GroupSpace {
  public:
    /// Collective over `comm`, which is duplicated twice. `host` tells this process's host from
    /// others; the processor's name, if there is no better one. `generation`: the same at all, and
    /// another one for the next space of these processes.
    explicit GroupSpace(MPI_Comm comm, const std::string& host = processor_name(),
                        std::int64_t generation = 0);
    static std::string processor_name();
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

    /// For collective operations, and for messages and letters.
    [[nodiscard]] MPI_Comm comm() const { return comm_.get(); }
    [[nodiscard]] MPI_Comm messages() const { return messages_.get(); }
    [[nodiscard]] tree::ProcessId self() const { return self_; }
    [[nodiscard]] int size() const { return size_; }
    /// The first of the processes on this one's host.
    [[nodiscard]] tree::ProcessId host() const { return host_; }
    /// The key of the group of all, out of which others are made.
    [[nodiscard]] GroupKey root_key() const { return root_key_; }

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

    /// Takes part in making groups out of the group in which this process has `seat`. Called by all
    /// its members, in the same order for every two enrolments of a group. A process with a colour
    /// waits until it has its seat; one without returns after a fraction of a millisecond, and the
    /// helper does what is left for it to do. Throws MpiError.
    std::optional<tree::Seat> enrol(GroupKey enrolment, const tree::Method& method,
                                    const tree::Seat& seat, std::optional<tree::Colour> own);

    /// A label is in use from now on, or no longer: between enrolments that make one group.
    void take_label(int label);
    void give_label_back(int label);

    /// A group that an enrolment made is alive here from now on: others may ask for its ranks, and
    /// its label is taken. `seat` lives until close().
    void open(GroupKey enrolment, tree::Colour colour, const tree::Seat& seat);
    /// It is not any more. Local; the intermediary of shrink-and-hash is told. Never throws.
    void close(GroupKey enrolment, tree::Colour colour, const tree::Seat& seat) noexcept;
    /// Who has this rank of the group; waits for the answer. Shrink-and-hash: H(rank) is asked;
    /// else the group's tree is, up to the root and down, where the seats of the last groups that
    /// were closed still answer. Throws TimeoutError after a minute.
    tree::ProcessId holder(GroupKey enrolment, tree::Colour colour, const tree::Seat& seat,
                           int rank);

    /// Carries an operation out; others that are under way go on meanwhile.
    void run(std::unique_ptr<Operation> operation);
    /// An operation under way. Over once it is complete or has failed.
    struct UnderWay {
        std::unique_ptr<Operation> operation;
        bool over = false;
        std::exception_ptr failure;
    };
    /// Has an operation under way: it goes on in these calls and, more slowly, by itself.
    std::shared_ptr<UnderWay> start(std::unique_ptr<Operation> operation);
    /// Whether it is over. Throws what it failed with.
    bool test(const std::shared_ptr<UnderWay>& under_way);
    void wait(const std::shared_ptr<UnderWay>& under_way);
    /// Gives it up.
    void abandon(const std::shared_ptr<UnderWay>& under_way);

    /// Letters sent by this process so far, and their words: what a benchmark counts.
    [[nodiscard]] std::int64_t letters_sent() const { return letters_sent_; }

  private:
    struct Enrolment {
        tree::Builder builder;
        bool awaited = true;  ///< somebody is in enrol()
    };
    struct EarlyMessage {
        tree::ProcessId from;
        tree::Message message;
    };
    struct Waiting {
        GroupKey key;
        Ask ask;
    };

    void help(const std::stop_token& stop);
    /// Whether all operations under way are complete.
    bool complete_operations();
    struct Progress {
        std::size_t completed = 0;
        std::size_t left = 0;
    };
    /// Tests all operations under way.
    Progress go_on();
    /// Reads one letter; whether there was one. With the mutex held, as all below.
    bool read_letter();
    void on_build(tree::ProcessId from, GroupKey key, std::span<const std::int32_t> words);
    void act_on(const Letter& letter);
    void forget(GroupKey key, tree::Colour colour, int rank);
    void on_ask(GroupKey key, const Ask& ask);
    bool answer(GroupKey key, const Ask& ask);
    void ask_again(GroupKey key);
    void send(GroupKey key, tree::Outbox& out);
    void tell(tree::ProcessId to, LetterKind kind, GroupKey key,
              std::span<const std::int32_t> words);
    void drop_finished(GroupKey key);
    [[nodiscard]] tree::HashFamily hashes_of(GroupKey enrolment) const;
    [[nodiscard]] const tree::Seat* seat_of(GroupKey group) const;
    /// Reads letters until `done` or `until`, letting others read in between.
    void read_until(std::unique_lock<std::mutex>& lock, const std::function<bool()>& done,
                    std::optional<std::chrono::steady_clock::time_point> until = std::nullopt);

    /// Seats of closed groups, and entries of forgotten ranks, that are kept: a member may end a
    /// group while another, who was slower, still looks for a rank of it.
    static constexpr std::size_t most_closed = 1024;

    mpi::Comm comm_;
    mpi::Comm messages_;
    tree::ProcessId self_;
    GroupKey root_key_;
    tree::ProcessId host_;
    int size_ = 1;
    int most_labels_ = 0;
    std::uint32_t next_of_all_ = 0;
    std::uint32_t last_renewed_ = 0;
    std::atomic<bool> retired_{false};
    std::atomic<std::int64_t> letters_sent_{0};

    std::mutex mutex_;
    std::condition_variable work_;
    std::exception_ptr failure_;  // of the helper
    std::optional<Post> post_;
    std::map<GroupKey, Enrolment> enrolments_;
    std::map<GroupKey, std::vector<EarlyMessage>> early_;
    std::unordered_map<std::uint64_t, tree::RankDirectories> directories_;
    // Groups that are asked by tree; those that were closed here, since others may still ask.
    std::unordered_map<std::uint64_t, const tree::Seat*> live_;
    std::unordered_map<std::uint64_t, tree::Seat> closed_;
    std::deque<std::uint64_t> closed_order_;
    // Of directories: who had a rank of a group that it has ended.
    using Entry = std::tuple<std::uint64_t, tree::Colour, int>;
    std::map<Entry, tree::ProcessId> forgotten_;
    std::deque<Entry> forgotten_order_;
    tree::LabelSet labels_;
    std::vector<Waiting> waiting_;
    std::map<int, std::optional<tree::ProcessId>> answers_;  // by ticket
    std::map<std::pair<GroupKey, int>, tree::ProcessId> known_;
    int next_ticket_ = 0;

    std::mutex under_way_mutex_;
    std::vector<std::shared_ptr<UnderWay>> under_way_;
    std::jthread helper_;
    AtFinalize at_finalize_{[this] { finish(); }};
};

/// Tags of a label, of either communicator. MPI libraries have as few as 2^18 tags, which leaves
/// 16,383 labels.
namespace tags {
inline constexpr int a_label = 16;
inline constexpr int letters = 0;     ///< label 0, of messages()
inline constexpr int operations = 8;  ///< collective operations under way in one group
inline constexpr int redirected = 8;  ///< from rank 0 to the root of a reduction
inline constexpr int most_user = a_label - 1;
}  // namespace tags

}  // namespace ductile::groups
