#include "ductile/process_group.hpp"

#include <array>
#include <cstdint>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "groups/choose_method.hpp"
#include "groups/group_space.hpp"
#include "groups/host_tree.hpp"
#include "groups/operation.hpp"
#include "mpi/check.hpp"
#include "tree/shape.hpp"

namespace ductile {

namespace {

using groups::GroupKey;
using groups::GroupSpace;
using groups::Operation;

void check_options(const GroupOptions& options) {
    if (options.branching < 2 || options.branching > tree::max_branching)
        throw InputError("GroupOptions::branching is " + std::to_string(options.branching) +
                         "; 2 to " + std::to_string(tree::max_branching) + " are possible");
    if (options.segment_bytes < 1)
        throw InputError("GroupOptions::segment_bytes is " + std::to_string(options.segment_bytes) +
                         "; it must be at least 1");
    if (options.by_host && options.algorithm == GroupAlgorithm::shrink_and_hash)
        throw InputError(
            "GroupOptions: by_host is not possible with shrink_and_hash, whose ranks "
            "do not lie together below a process");
    if (options.algorithm == GroupAlgorithm::shrink_and_balance &&
        options.filler == GroupFiller::none)
        throw InputError(
            "GroupOptions: shrink_and_balance cannot leave holes; choose the filler child or leaf");
}

tree::Algorithm algorithm_for(const GroupOptions& options, int parents) {
    switch (options.algorithm) {
        case GroupAlgorithm::centralized:
            return tree::Algorithm::centralized;
        case GroupAlgorithm::shrink_and_balance:
            return tree::Algorithm::shrink_and_balance;
        case GroupAlgorithm::shrink_and_hash:
            return tree::Algorithm::shrink_and_hash;
        case GroupAlgorithm::automatic:
            break;
    }
    if (options.by_host) return tree::Algorithm::centralized;
    return groups::choose_algorithm(parents, options.branching);
}

tree::Filler filler_for(const GroupOptions& options, tree::Algorithm algorithm) {
    switch (options.filler) {
        case GroupFiller::none:
            return tree::Filler::none;
        case GroupFiller::child:
            return tree::Filler::child;
        case GroupFiller::leaf:
            return tree::Filler::leaf;
        case GroupFiller::automatic:
            break;
    }
    return algorithm == tree::Algorithm::shrink_and_balance ? tree::Filler::leaf
                                                            : tree::Filler::none;
}

tree::Method method_for(const GroupOptions& options, int parents) {
    tree::Method method;
    method.algorithm = algorithm_for(options, parents);
    method.filler = filler_for(options, method.algorithm);
    method.branching = options.branching;
    method.lone = tree::LoneBranch::passed_on;
    return method;
}

/// A colour that cannot be is none, until all have enrolled.
std::optional<tree::Colour> colour_of(GroupColour colour) {
    if (colour.value < 0) return std::nullopt;
    return tree::Colour{colour.value};
}

void require_colour(GroupColour colour) {
    if (colour.value < 0 && colour.value != MPI_UNDEFINED)
        throw InputError("a process group's colour is " + std::to_string(colour.value) +
                         "; it must be 0 or more, or MPI_UNDEFINED for no group");
}

std::optional<tree::Colour> colour_of(bool member) {
    return member ? std::optional{tree::Colour{0}} : std::nullopt;
}

}  // namespace

/// Kept small: there are thousands.
class ProcessGroup::Impl : public std::enable_shared_from_this<Impl> {
  public:
    /// Of a job's ranks.
    Impl(Job& job, std::optional<tree::Colour> colour, const GroupOptions& options)
        : job_(&job), options_(options), colour_(colour) {
        check_options(options);
        enrol_in_job();
    }
    /// Out of another group.
    Impl(std::shared_ptr<Impl> parent, std::optional<tree::Colour> colour,
         const GroupOptions& options)
        : parent_(std::move(parent)), options_(options), colour_(colour) {
        check_options(options);
        enrol_in_parent();
    }
    /// Of all processes of a communicator.
    Impl(MPI_Comm comm, const GroupOptions& options) : options_(options) {
        check_options(options);
        int level = MPI_THREAD_SINGLE;
        mpi::check(MPI_Query_thread(&level), "MPI_Query_thread");
        if (level != MPI_THREAD_MULTIPLE)
            throw UsageError(
                "cannot make a process group: MPI was initialised without "
                "MPI_THREAD_MULTIPLE; call MPI_Init_thread with it");
        space_ = std::make_shared<GroupSpace>(comm);
        colour_ = tree::Colour{0};
        seat_ = tree::seat_in_job(space_->self(), space_->size(), options.branching);
        seat_.label = 1;
        enrolment_ = space_->root_key();
        space_->open(enrolment_, *colour_, seat_);
    }
    ~Impl() { close(); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void renew() {
        if (job_ == nullptr && !parent_)
            throw UsageError("renew() on the group of a communicator, which no resize changes");
        if (parent_ && (!parent_->is_member() || parent_->space_->retired()))
            throw UsageError(
                "renew() on a process group whose parent has not been renewed or has "
                "ended here: renew groups in the order in which they were made");
        close();
        if (parent_)
            enrol_in_parent();
        else
            enrol_in_job();
    }

    [[nodiscard]] bool is_member() const { return seat_.size > 0; }
    [[nodiscard]] const tree::Seat& seat() const {
        if (!is_member())
            throw UsageError(
                "a process group was used by a process that is no member of it; ask "
                "member() first");
        return seat_;
    }
    [[nodiscard]] const GroupOptions& options() const { return options_; }
    [[nodiscard]] GroupSpace& space() const { return *space_; }
    [[nodiscard]] const std::shared_ptr<GroupSpace>& shared_space() const { return space_; }
    [[nodiscard]] GroupKey enrolment() const { return enrolment_; }
    [[nodiscard]] GroupAlgorithm algorithm() const { return made_by_; }
    [[nodiscard]] std::size_t bytes() const {
        // With the control block of the shared pointer, and the entry by which others find it.
        constexpr std::size_t control = 16, entry = 40;
        return sizeof(Impl) + control + entry + seat_.children.capacity() * sizeof(tree::Child);
    }

    /// The tag for the next operation; free until release().
    int take_slot() {
        const int slot = next_operation_ % groups::tags::operations;
        const auto bit = static_cast<std::uint16_t>(1U << static_cast<unsigned>(slot));
        if ((busy_ & bit) != 0)
            throw UsageError("an operation was started on a process group of which that " +
                             std::to_string(groups::tags::operations) +
                             " operations ago is still under way: wait() for it first");
        busy_ |= bit;
        ++next_operation_;
        return slot;
    }
    /// The operation has not been started: its slot is the next one's, here as elsewhere.
    void give_back(int slot) {
        release(slot);
        --next_operation_;
    }
    void release(int slot) {
        busy_ &= static_cast<std::uint16_t>(~(1U << static_cast<unsigned>(slot)));
    }
    [[nodiscard]] groups::OperationPlace place(int in_label) const {
        return {space_->comm(), seat_.label * groups::tags::a_label + in_label, &seat_};
    }
    /// For a message of the program's own.
    [[nodiscard]] groups::OperationPlace message_place(int tag) const {
        return {space_->messages(), seat_.label * groups::tags::a_label + tag, &seat_};
    }
    [[nodiscard]] int holder(int rank) const {
        return space_->holder(enrolment_, *colour_, seat_, rank).value;
    }
    void require_rank(int rank, const char* what) const {
        if (rank < 0 || rank >= seat().size)
            throw UsageError("the " + std::string(what) +
                             " of an operation on a process group of " +
                             std::to_string(seat_.size) + " is rank " + std::to_string(rank));
    }
    [[nodiscard]] groups::Segments segments(std::int64_t count, MPI_Datatype type) const {
        if (count < 0)
            throw UsageError("an operation on a process group was given " + std::to_string(count) +
                             " elements");
        return {count, type, options_.segment_bytes};
    }

  private:
    void enrol_in_job() {
        space_ = job_->group_space();
        const auto seat = tree::seat_in_job(space_->self(), space_->size(), options_.branching);
        enrol(space_->root_key().next(space_->next_of_all()), seat);
    }
    void enrol_in_parent() {
        const auto& seat = parent_->seat();
        space_ = parent_->space_;
        const auto group =
            parent_->enrolment_.next(static_cast<std::uint32_t>(parent_->colour_->value));
        enrol(group.next(parent_->next_enrolment_++), seat);
    }
    void enrol(GroupKey enrolment, const tree::Seat& seat) {
        enrolment_ = enrolment;
        next_enrolment_ = 0;
        next_operation_ = 0;
        busy_ = 0;
        const auto method = method_for(options_, seat.size);
        made_by_ =
            std::array{GroupAlgorithm::centralized, GroupAlgorithm::shrink_and_balance,
                       GroupAlgorithm::shrink_and_hash}[static_cast<std::size_t>(method.algorithm)];
        auto got = options_.by_host
                       ? groups::enrol_by_host(*space_, enrolment, method, seat, colour_)
                       : space_->enrol(enrolment, method, seat, colour_);
        if (!got) return;
        seat_ = std::move(*got);
        seat_.children.shrink_to_fit();
        space_->open(enrolment_, *colour_, seat_);
    }
    void close() {
        if (is_member()) space_->close(enrolment_, *colour_, seat_);
        seat_ = {};
    }

    std::shared_ptr<GroupSpace> space_;
    std::shared_ptr<Impl> parent_;
    Job* job_ = nullptr;
    GroupKey enrolment_;
    tree::Seat seat_;  // of size 0 where this process is no member
    GroupOptions options_;
    std::optional<tree::Colour> colour_;
    GroupAlgorithm made_by_ = GroupAlgorithm::automatic;
    std::uint32_t next_enrolment_ = 0;
    std::uint16_t next_operation_ = 0;
    std::uint16_t busy_ = 0;  // a bit for each operation under way
};

class GroupRequest::Impl {
  public:
    Impl(std::shared_ptr<ProcessGroup::Impl> group, std::unique_ptr<Operation> operation, int slot)
        : group_(std::move(group)),
          made_as_(group_->enrolment()),
          space_(group_->shared_space()),
          slot_(slot) {
        under_way_ = space_->start(std::move(operation));
    }
    bool test() {
        if (!under_way_) return true;
        bool over = true;  // also if it throws
        try {
            over = space_->test(under_way_);
        } catch (...) {
            end();
            throw;
        }
        if (over) end();
        return over;
    }
    void wait() {
        while (!test()) std::this_thread::yield();
    }
    void abandon() {
        if (!under_way_) return;
        space_->abandon(under_way_);
        end();
    }

  private:
    void end() {
        under_way_.reset();
        if (group_->enrolment() == made_as_) group_->release(slot_);
    }

    std::shared_ptr<ProcessGroup::Impl> group_;
    GroupKey made_as_;  // the group may have been made again since
    std::shared_ptr<GroupSpace> space_;
    std::shared_ptr<GroupSpace::UnderWay> under_way_;
    int slot_;
};

GroupRequest::GroupRequest() = default;
GroupRequest::GroupRequest(GroupRequest&&) noexcept = default;
GroupRequest::GroupRequest(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GroupRequest& GroupRequest::operator=(GroupRequest&& other) noexcept {
    std::swap(impl_, other.impl_);
    return *this;
}
GroupRequest::~GroupRequest() {
    try {
        if (impl_ && std::uncaught_exceptions() > 0) impl_->abandon();
        wait();
    } catch (const std::exception&) {
        // As said: whoever wants to know calls wait().
    }
}
bool GroupRequest::test() {
    return !impl_ || impl_->test();
}
void GroupRequest::wait() {
    if (impl_) impl_->wait();
}

namespace {

std::unique_ptr<Operation> broadcast_in(ProcessGroup::Impl& group, int slot, bool mine, void* data,
                                        std::int64_t count, MPI_Datatype type) {
    return groups::start_broadcast(group.place(slot), static_cast<std::byte*>(data),
                                   group.segments(count, type), mine);
}

std::unique_ptr<Operation> reduction_in(ProcessGroup::Impl& group, int slot, const void* in,
                                        void* out, std::int64_t count, MPI_Datatype type, MPI_Op op,
                                        groups::ResultAt result) {
    return groups::start_reduction(group.place(slot), static_cast<const std::byte*>(in),
                                   static_cast<std::byte*>(out), group.segments(count, type), op,
                                   result);
}

/// To rank 0, and from there to the root, if that is another.
std::unique_ptr<Operation> reduction_to(ProcessGroup::Impl& group, int slot, const void* in,
                                        void* out, std::int64_t count, MPI_Datatype type, MPI_Op op,
                                        int root) {
    const auto at = groups::ResultAt::rank_0;
    const int rank = group.seat().rank;
    if (root == 0 || (rank != 0 && rank != root))
        return reduction_in(group, slot, in, out, count, type, op, at);
    const auto redirected = group.place(groups::tags::redirected + slot);
    if (rank == root) {
        auto steps = std::make_unique<groups::Sequence>(std::vector<std::byte>{});
        steps->then(reduction_in(group, slot, in, out, count, type, op, at));
        steps->then(groups::start_receive(redirected, static_cast<std::byte*>(out), count, type,
                                          MPI_ANY_SOURCE));
        return steps;
    }
    const groups::Segments whole(count, type, 1);
    auto steps = std::make_unique<groups::Sequence>(std::vector<std::byte>(whole.bytes_of(count)));
    auto* sum = steps->buffer() - whole.lower_bound();
    steps->then(reduction_in(group, slot, in, sum, count, type, op, at));
    steps->then(groups::start_send(redirected, sum, count, type, group.holder(root)));
    return steps;
}

void require_commutative(MPI_Op op) {
    int commutes = 0;
    mpi::check(MPI_Op_commutative(op, &commutes), "MPI_Op_commutative");
    if (commutes == 0)
        throw UsageError(
            "a reduction on a process group was given an operation that does not "
            "commute, but the system chooses the ranks");
}

static_assert(ProcessGroup::max_tag == groups::tags::most_user);

void require_tag(int tag) {
    if (tag < 0 || tag > ProcessGroup::max_tag)
        throw UsageError("a message in a process group has the tag " + std::to_string(tag) +
                         "; 0 to " + std::to_string(ProcessGroup::max_tag) + " are possible");
}

void require_input(const void* in, bool may_be_in_place) {
    if (in == MPI_IN_PLACE && !may_be_in_place)
        throw UsageError(
            "a reduction on a process group was given MPI_IN_PLACE by another member "
            "than its root");
}

/// Makes an operation in a slot of its own; `make` starts nothing.
template <class Make>
std::pair<int, std::unique_ptr<Operation>> prepare(ProcessGroup::Impl& group, const Make& make) {
    const int slot = group.take_slot();
    try {
        return {slot, make(slot)};
    } catch (...) {
        group.give_back(slot);
        throw;
    }
}

template <class Make>
void run(ProcessGroup::Impl& group, const Make& make) {
    auto [slot, operation] = prepare(group, make);
    try {
        group.space().run(std::move(operation));
    } catch (...) {
        group.release(slot);
        throw;
    }
    group.release(slot);
}

template <class Make>
std::unique_ptr<GroupRequest::Impl> start(const std::shared_ptr<ProcessGroup::Impl>& group,
                                          const Make& make) {
    auto [slot, operation] = prepare(*group, make);
    return std::make_unique<GroupRequest::Impl>(group, std::move(operation), slot);
}

}  // namespace

ProcessGroup::ProcessGroup(Job& job, bool member, const GroupOptions& options)
    : impl_(std::make_shared<Impl>(job, colour_of(member), options)) {}
ProcessGroup::ProcessGroup(Job& job, GroupColour colour, const GroupOptions& options)
    : impl_(std::make_shared<Impl>(job, colour_of(colour), options)) {
    require_colour(colour);
}
ProcessGroup::ProcessGroup(MPI_Comm comm, const GroupOptions& options)
    : impl_(std::make_shared<Impl>(comm, options)) {}
ProcessGroup::ProcessGroup(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
ProcessGroup::ProcessGroup(ProcessGroup&&) noexcept = default;
ProcessGroup& ProcessGroup::operator=(ProcessGroup&&) noexcept = default;
ProcessGroup::~ProcessGroup() = default;

ProcessGroup ProcessGroup::split(bool member) const {
    return split(member, impl_->options());
}
ProcessGroup ProcessGroup::split(bool member, const GroupOptions& options) const {
    return ProcessGroup(std::make_shared<Impl>(impl_, colour_of(member), options));
}
ProcessGroup ProcessGroup::split(GroupColour colour) const {
    return split(colour, impl_->options());
}
ProcessGroup ProcessGroup::split(GroupColour colour, const GroupOptions& options) const {
    ProcessGroup made(std::make_shared<Impl>(impl_, colour_of(colour), options));
    require_colour(colour);
    return made;
}
void ProcessGroup::renew() {
    impl_->renew();
}

bool ProcessGroup::member() const {
    return impl_->is_member();
}
int ProcessGroup::rank() const {
    return impl_->seat().rank;
}
int ProcessGroup::size() const {
    return impl_->seat().size;
}
std::size_t ProcessGroup::bytes() const {
    return impl_->bytes();
}
GroupAlgorithm ProcessGroup::algorithm() const {
    return impl_->algorithm();
}

void ProcessGroup::barrier() const {
    allreduce(nullptr, nullptr, 0, MPI_BYTE, MPI_BOR);
}
void ProcessGroup::broadcast(void* data, std::int64_t count, MPI_Datatype type, int root) const {
    impl_->require_rank(root, "root");
    share(rank() == root, data, count, type);
}
void ProcessGroup::share(bool mine, void* data, std::int64_t count, MPI_Datatype type) const {
    static_cast<void>(impl_->seat());
    run(*impl_, [&](int slot) { return broadcast_in(*impl_, slot, mine, data, count, type); });
}
void ProcessGroup::reduce(const void* in, void* out, std::int64_t count, MPI_Datatype type,
                          MPI_Op op, int root) const {
    impl_->require_rank(root, "root");
    require_input(in, rank() == root);
    require_commutative(op);
    run(*impl_,
        [&](int slot) { return reduction_to(*impl_, slot, in, out, count, type, op, root); });
}
void ProcessGroup::allreduce(const void* in, void* out, std::int64_t count, MPI_Datatype type,
                             MPI_Op op) const {
    static_cast<void>(impl_->seat());
    require_commutative(op);
    run(*impl_, [&](int slot) {
        return reduction_in(*impl_, slot, in, out, count, type, op, groups::ResultAt::all);
    });
}

GroupRequest ProcessGroup::start_barrier() const {
    return start_allreduce(nullptr, nullptr, 0, MPI_BYTE, MPI_BOR);
}
GroupRequest ProcessGroup::start_broadcast(void* data, std::int64_t count, MPI_Datatype type,
                                           int root) const {
    impl_->require_rank(root, "root");
    return GroupRequest(start(impl_, [&](int slot) {
        return broadcast_in(*impl_, slot, rank() == root, data, count, type);
    }));
}
GroupRequest ProcessGroup::start_reduce(const void* in, void* out, std::int64_t count,
                                        MPI_Datatype type, MPI_Op op, int root) const {
    impl_->require_rank(root, "root");
    require_input(in, rank() == root);
    require_commutative(op);
    return GroupRequest(start(impl_, [&](int slot) {
        return reduction_to(*impl_, slot, in, out, count, type, op, root);
    }));
}
GroupRequest ProcessGroup::start_allreduce(const void* in, void* out, std::int64_t count,
                                           MPI_Datatype type, MPI_Op op) const {
    static_cast<void>(impl_->seat());
    require_commutative(op);
    return GroupRequest(start(impl_, [&](int slot) {
        return reduction_in(*impl_, slot, in, out, count, type, op, groups::ResultAt::all);
    }));
}

void ProcessGroup::send(const void* data, std::int64_t count, MPI_Datatype type, int to,
                        int tag) const {
    impl_->require_rank(to, "receiver");
    require_tag(tag);
    impl_->space().run(groups::start_send(impl_->message_place(tag),
                                          static_cast<const std::byte*>(data), count, type,
                                          impl_->holder(to)));
}
void ProcessGroup::receive(void* data, std::int64_t count, MPI_Datatype type, int from,
                           int tag) const {
    impl_->require_rank(from, "sender");
    require_tag(tag);
    impl_->space().run(groups::start_receive(impl_->message_place(tag),
                                             static_cast<std::byte*>(data), count, type,
                                             impl_->holder(from)));
}

}  // namespace ductile
