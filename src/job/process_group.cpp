#include "ductile/process_group.hpp"

#include <string>
#include <utility>
#include <vector>

#include "groups/operation.hpp"
#include "job/group_impl.hpp"
#include "job/group_method.hpp"
#include "job/group_request.hpp"
#include "mpi/check.hpp"

namespace ductile {

namespace {

using groups::Operation;

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
