#include "groups/group_space.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace ductile::groups {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

/// How long a process that is in no new group helps before it goes its way.
constexpr microseconds patience{200};
/// How long the helper sleeps: after a letter, then twice as long each time, up to one of these.
constexpr microseconds shortest_sleep{20}, longest_when_awaited{1000}, longest_sleep{5000};
constexpr std::chrono::seconds finish_within{60}, complete_within{10};

}  // namespace

namespace {

/// Not MPI_COMM_TYPE_SHARED, which follows the memory: virtual and logical hosts share it. Each
/// process holds a number for each for a moment.
tree::ProcessId first_on_host(const mpi::Comm& comm, const std::string& host) {
    const std::uint64_t mine = std::hash<std::string>{}(host);
    std::vector<std::uint64_t> all(static_cast<std::size_t>(comm.size()));
    mpi::check(MPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, comm.get()),
               "MPI_Allgather");
    return tree::ProcessId{static_cast<int>(std::ranges::find(all, mine) - all.begin())};
}

}  // namespace

GroupSpace::GroupSpace(MPI_Comm comm, const std::string& host, std::int64_t generation)
    : comm_(mpi::duplicate(comm)), messages_(comm_.duplicate()) {
    // Letters of another space that has had the same context in MPI are about other keys.
    root_key_ = GroupKey{static_cast<std::uint64_t>(generation)}.next(0);
    self_ = tree::ProcessId{comm_.rank()};
    size_ = comm_.size();
    host_ = first_on_host(comm_, host);
    int found = 0;
    void* bound = nullptr;
    mpi::check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&bound), &found),
               "MPI_Comm_get_attr");
    most_labels_ = (found != 0 ? *static_cast<int*>(bound) : 32767) / tags::a_label;
    post_.emplace(messages_, tags::letters);
    if (size_ > 1) helper_ = std::jthread([this](const std::stop_token& stop) { help(stop); });
}

std::string GroupSpace::processor_name() {
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    mpi::check(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
    return {name.data(), static_cast<std::size_t>(length)};
}

GroupSpace::~GroupSpace() {
    if (std::uncaught_exceptions() > 0)
        retire();  // the others may never come
    else
        finish();
}

void GroupSpace::retire() {
    if (retired_.exchange(true)) return;
    const bool complete = std::uncaught_exceptions() == 0 && complete_operations();
    if (helper_.joinable()) {
        helper_.request_stop();
        work_.notify_all();
        helper_.join();
    }
    {
        const std::lock_guard lock(under_way_mutex_);
        for (auto& one : std::exchange(under_way_, {})) {
            // Another process may be about to read or write its buffers.
            if (!complete) static_cast<void>(one->operation.release());
            one->over = true;
            one->failure = std::make_exception_ptr(UsageError(
                "an operation of a process group was under way when its job was resized or ended, "
                "and not all members had started it: wait() for it before the resize point"));
        }
    }
    const std::lock_guard lock(mutex_);
    if (mpi::is_running())
        while (post_->receive()) {
        }
    post_.reset();
    messages_.reset();
    comm_.reset();
}

void GroupSpace::finish() {
    if (retired_ || !mpi::is_running()) return;
    const auto until = Clock::now() + finish_within;
    const auto before = [&](const auto& done) {
        while (!done()) {
            if (Clock::now() >= until) return false;
            std::this_thread::sleep_for(shortest_sleep);
        }
        return true;
    };
    // Letters first: whoever has come through the barrier takes none any more.
    const bool sent = before([this] {
        const std::lock_guard lock(mutex_);
        return post_->all_sent();
    });
    MPI_Request all_here = MPI_REQUEST_NULL;
    int done = 0;
    if (sent && MPI_Ibarrier(messages_.get(), &all_here) == MPI_SUCCESS)
        before([&] {
            return MPI_Test(&all_here, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0;
        });
    if (done == 0) {
        std::fprintf(stderr,
                     "ductile: rank %d has waited for %d s until the other processes end their "
                     "process groups, too, and goes on without them\n",
                     self_.value, static_cast<int>(finish_within.count()));
        static_cast<void>(messages_.release());  // somebody may still come there
    }
    retire();
}

bool GroupSpace::complete_operations() {
    const auto until = Clock::now() + complete_within;
    while (mpi::is_running() && go_on().left > 0) {
        if (Clock::now() >= until) return false;
        std::this_thread::yield();
    }
    return true;
}

void GroupSpace::require_live() const {
    if (retired_)
        throw UsageError(
            "a process group was used after its job had been resized or had ended. After a resize, "
            "call renew() on it first, on all ranks that stay and in the order in which groups "
            "were made");
}

void GroupSpace::help(const std::stop_token& stop) {
    auto sleep = shortest_sleep;
    while (!stop.stop_requested()) {
        std::unique_lock lock(mutex_);
        try {
            bool any = false;
            while (read_letter()) any = true;
            const bool awaited = !enrolments_.empty();
            lock.unlock();
            const auto operations = go_on();
            lock.lock();
            any = any || operations.completed > 0;
            const auto longest =
                awaited || operations.left > 0 ? longest_when_awaited : longest_sleep;
            sleep = any ? shortest_sleep : std::min(2 * sleep, longest);
        } catch (...) {
            if (!lock.owns_lock()) lock.lock();
            failure_ = std::current_exception();  // thrown to whoever waits next
            return;
        }
        // Woken: something is expected here soon.
        if (work_.wait_for(lock, sleep) == std::cv_status::no_timeout) sleep = shortest_sleep;
    }
}

void GroupSpace::read_until(std::unique_lock<std::mutex>& lock, const std::function<bool()>& done,
                            std::optional<Clock::time_point> until) {
    while (!done()) {
        if (failure_) std::rethrow_exception(failure_);
        if (read_letter()) continue;
        if (until && Clock::now() >= *until) return;
        lock.unlock();
        std::this_thread::yield();  // ranks may share cores
        lock.lock();
    }
}

std::optional<tree::Seat> GroupSpace::enrol(GroupKey enrolment, const tree::Method& method,
                                            const tree::Seat& seat,
                                            std::optional<tree::Colour> own) {
    require_live();
    std::unique_lock lock(mutex_);
    // A label is in use once the group is open: two groups made at once could get the same.
    if (std::ranges::any_of(enrolments_, [](const auto& one) { return one.second.awaited; }))
        throw UsageError(
            "two threads of a process make process groups at the same time; only one may");
    auto& entry =
        enrolments_
            .emplace(enrolment, Enrolment{tree::Builder{method, seat, own, hashes_of(enrolment)}})
            .first->second;
    auto& builder = entry.builder;
    tree::Outbox out;
    builder.start(out, own ? labels_ : tree::LabelSet{});
    send(enrolment, out);
    if (const auto early = early_.extract(enrolment)) {
        for (auto& [from, message] : early.mapped()) {
            builder.on_message(from, std::move(message), out);
            send(enrolment, out);
        }
    }
    std::optional<tree::Seat> got;
    if (own) {
        read_until(lock, [&] { return builder.seat().has_value(); });
        got = *builder.seat();
    } else {
        read_until(
            lock, [&] { return builder.finished(); }, Clock::now() + patience);
    }
    entry.awaited = false;
    drop_finished(enrolment);
    // Of shrink-and-hash any process may be an intermediary, of which no message told it.
    if (!enrolments_.empty() || method.algorithm == tree::Algorithm::shrink_and_hash)
        work_.notify_all();
    if (got && got->label >= most_labels_)
        throw UsageError("cannot make one more process group: this MPI has tags for " +
                         std::to_string(most_labels_ - 1) +
                         " at once; end those that are not needed");
    return got;
}

void GroupSpace::drop_finished(GroupKey key) {
    const auto at = enrolments_.find(key);
    if (at == enrolments_.end() || at->second.awaited) return;
    if (at->second.builder.finished()) enrolments_.erase(at);
}

void GroupSpace::take_label(int label) {
    const std::lock_guard lock(mutex_);
    labels_.insert(label);
}

void GroupSpace::give_label_back(int label) {
    const std::lock_guard lock(mutex_);
    labels_.erase(label);
}

void GroupSpace::open(GroupKey enrolment, tree::Colour colour, const tree::Seat& seat) {
    const std::lock_guard lock(mutex_);
    labels_.insert(seat.label);
    if (seat.numbering == tree::Numbering::by_level) return;
    const auto group = enrolment.next(static_cast<std::uint32_t>(colour.value));
    live_.emplace(group.value, &seat);
    ask_again(group);
}

void GroupSpace::close(GroupKey enrolment, tree::Colour colour, const tree::Seat& seat) noexcept {
    try {
        const std::lock_guard lock(mutex_);
        labels_.erase(seat.label);
        const auto group = enrolment.next(static_cast<std::uint32_t>(colour.value));
        known_.erase(known_.lower_bound({group, 0}), known_.lower_bound({{group.value + 1}, 0}));
        if (seat.numbering == tree::Numbering::preorder) {
            live_.erase(group.value);
            closed_.emplace(group.value, seat);
            closed_order_.push_back(group.value);
            if (closed_order_.size() <= most_closed) return;
            closed_.erase(closed_order_.front());
            closed_order_.pop_front();
        } else if (!retired_ && mpi::is_running()) {
            const auto keeper = hashes_of(enrolment).of(colour)(seat.rank);
            tell(keeper, LetterKind::forget, enrolment, std::array{colour.value, seat.rank});
        }
    } catch (const std::exception&) {
        // What is left over is an entry in a table; the space ends with it.
    }
}

tree::HashFamily GroupSpace::hashes_of(GroupKey enrolment) const {
    return {size_, static_cast<int>(enrolment.value % static_cast<std::uint64_t>(size_))};
}

}  // namespace ductile::groups
