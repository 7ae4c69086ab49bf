#include "groups/group_space.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ductile::groups {

namespace {

using Clock = os::AwakeClock;

constexpr std::chrono::seconds finish_within{60}, complete_within{10};
/// How long a process waits for an answer: a member may compute for a long time, but its helper
/// answers.
constexpr std::chrono::seconds answer_within{60};

/// The first process that names the same host. Does not use MPI_COMM_TYPE_SHARED, which joins all
/// processes that share memory: virtual and logical hosts share it, too. For a moment, each process
/// holds one number for each process.
tree::ProcessId first_on_host(const mpi::Comm& comm, const std::string& host) {
    const std::uint64_t mine = std::hash<std::string>{}(host);
    std::vector<std::uint64_t> all(static_cast<std::size_t>(comm.size()));
    // clang-tidy treats unsigned long, which uint64_t is here, as another type.
    // NOLINTNEXTLINE(mpi-type-mismatch)
    mpi::check(MPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, comm.get()),
               "MPI_Allgather");
    return tree::ProcessId{static_cast<int>(std::ranges::find(all, mine) - all.begin())};
}

int largest_tag() {
    int found = 0;
    void* bound = nullptr;
    mpi::check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&bound), &found),
               "MPI_Comm_get_attr");
    return found != 0 ? *static_cast<int*>(bound) : 32767;
}

}  // namespace

std::string processor_name() {
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    mpi::check(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
    return {name.data(), static_cast<std::size_t>(length)};
}

// MPI may give this space the same context as an earlier space. Then late packets of the earlier
// space may come here. They match no key of this space, because its generation is another one.
GroupSpace::Place GroupSpace::place_in(const mpi::Comm& comm, const std::string& host,
                                       std::int64_t generation) {
    return {tree::ProcessId{comm.rank()}, comm.size(), first_on_host(comm, host),
            GroupKey{static_cast<std::uint64_t>(generation)}.next(0),
            largest_tag() / tags::a_label};
}

GroupSpace::GroupSpace(MPI_Comm comm, const std::string& host, std::int64_t generation)
    : comm_(mpi::duplicate(comm)),
      messages_(comm_.duplicate()),
      place_(place_in(comm_, host, generation)),
      transport_(messages_, tags::packets) {
    if (place_.size == 1) return;
    helper_.start([this] {
        auto looked = transport_.read_all();
        if (!looked) return looked;
        const auto operations = operations_.advance();
        looked->did_something |= operations.completed > 0;
        looked->expects_more |= operations.left > 0;
        return looked;
    });
}

GroupSpace::~GroupSpace() {
    if (std::uncaught_exceptions() > 0)
        retire();  // other processes may never come
    else
        finish();
}

namespace {

/// Advances all pending operations until they are complete. Returns false if they are not after
/// `complete_within`.
bool complete(ProgressEngine& operations) {
    const auto until = Clock::now() + complete_within;
    while (mpi::is_running() && operations.advance().left > 0) {
        if (Clock::now() >= until) return false;
        std::this_thread::yield();
    }
    return true;
}

}  // namespace

void GroupSpace::retire() {
    if (retired_.exchange(true)) return;
    const bool is_complete = std::uncaught_exceptions() == 0 && complete(operations_);
    helper_.stop();
    operations_.fail_all(
        std::make_exception_ptr(UsageError(
            "an operation of a process group was under way when its job was resized or ended, "
            "and not all members had started it: wait() for it before the resize point")),
        is_complete ? ProgressEngine::Leave::free : ProgressEngine::Leave::to_mpi);
    transport_.end();
    messages_.reset();
    comm_.reset();
}

namespace {

/// Waits until `done` returns true. Returns false at the deadline.
bool wait_until(Clock::time_point deadline, const std::function<bool()>& done) {
    while (!done()) {
        if (Clock::now() >= deadline) return false;
        std::this_thread::sleep_for(HelperPause::shortest);
    }
    return true;
}

/// Waits until all processes have come here. Returns false at the deadline.
bool all_come(const mpi::Comm& comm, Clock::time_point deadline) {
    MPI_Request all_here = MPI_REQUEST_NULL;
    int done = 0;
    if (MPI_Ibarrier(comm.get(), &all_here) == MPI_SUCCESS)
        wait_until(deadline, [&] {
            return MPI_Test(&all_here, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0;
        });
    return done != 0;
}

}  // namespace

void GroupSpace::finish() {
    if (retired_ || !mpi::is_running()) return;
    const auto deadline = Clock::now() + finish_within;
    // First waits until all packets are sent: a process receives none after the barrier.
    const bool sent = wait_until(deadline, [this] { return transport_.all_sent(); });
    if (!sent || !all_come(messages_, deadline)) {
        std::fprintf(stderr,
                     "ductile: rank %d has waited %d s for the other processes to end their "
                     "process groups, and continues without them\n",
                     place_.self.value, static_cast<int>(finish_within.count()));
        static_cast<void>(messages_.release());  // another process may still come to the barrier
    }
    retire();
}

void GroupSpace::require_live() const {
    if (retired_)
        throw UsageError(
            "a process group was used after its job had been resized or had ended. After a resize, "
            "call renew() on it first, on all ranks that stay and in the order in which groups "
            "were made");
}

std::optional<tree::TreePosition> GroupSpace::enrol(GroupKey enrolment, const tree::Method& method,
                                                    const tree::TreePosition& position,
                                                    std::optional<tree::Colour> own,
                                                    int also_in_use) {
    require_live();
    auto [got, expects_packets] = transport_.enrol({enrolment, method, position, own, also_in_use});
    // With shrink-and-hash any process may be an intermediary, and does not know it yet.
    if (method.algorithm == tree::Algorithm::shrink_and_hash || expects_packets) helper_.wake();
    if (got && got->label >= place_.most_labels)
        throw UsageError("cannot make one more process group: this MPI has tags for " +
                         std::to_string(place_.most_labels - 1) +
                         " groups at the same time; end groups that are not needed");
    return got;
}

void GroupSpace::open(GroupKey enrolment, tree::Colour colour, const tree::TreePosition& position) {
    transport_.open({enrolment, colour}, position);
}

void GroupSpace::close(GroupKey enrolment, tree::Colour colour,
                       const tree::TreePosition& position) noexcept {
    try {
        transport_.close({enrolment, colour}, position, !retired_ && mpi::is_running());
    } catch (const std::exception&) {
        // An entry may stay in a table as long as the space lives.
    }
}

tree::ProcessId GroupSpace::holder(GroupKey enrolment, tree::Colour colour,
                                   const tree::TreePosition& position, int rank) {
    if (enrolment == place_.root_key) return tree::ProcessId{rank};  // the group of all
    if (rank == position.rank) return place_.self;
    for (const auto& child : position.children)
        if (child.rank == rank) return child.id;
    require_live();
    const auto found =
        transport_.find({enrolment, colour}, position, rank, Clock::now() + answer_within);
    if (!found)
        throw TimeoutError("the process of rank " + std::to_string(rank) + " in a group of " +
                           std::to_string(position.size) +
                           " was not found within 60 s: a process on the way to it does not answer "
                           "(is it stopped, or has it ended the group long ago?)");
    return *found;
}

void GroupSpace::run(std::unique_ptr<Operation> operation) {
    require_live();
    operations_.run(std::move(operation));
}

std::shared_ptr<PendingOperation> GroupSpace::start(std::unique_ptr<Operation> operation) {
    require_live();
    return operations_.start(std::move(operation));
}

}  // namespace ductile::groups
