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

/// Reduces to rank 0. If the root is another rank, rank 0 sends the result to it.
std::unique_ptr<Operation> reduction_to(ProcessGroup::Impl& group, int slot, const void* in,
                                        void* out, std::int64_t count, MPI_Datatype type, MPI_Op op,
                                        int root) {
    const auto at = groups::ResultAt::rank_0;
    const int rank = group.position().rank;
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
    if (op == MPI_OP_NULL) throw InputError("a reduction on a process group was given MPI_OP_NULL");
    int commutes = 0;
    mpi::check(MPI_Op_commutative(op, &commutes), "MPI_Op_commutative");
    if (commutes == 0)
        throw UsageError(
            "a reduction on a process group was given an operation that does not commute, but "
            "Ductile chooses the order of the ranks; use a communicator and MPI_Reduce");
}

static_assert(ProcessGroup::max_tag == groups::tags::most_user);

void require_tag(int tag) {
    if (tag < 0 || tag > ProcessGroup::max_tag)
        throw InputError("a message in a process group has the tag " + std::to_string(tag) +
                         "; 0 to " + std::to_string(ProcessGroup::max_tag) + " are possible");
}

/// Checks a buffer and its shape. A derived datatype may contain addresses. Then MPI_BOTTOM is a
/// valid buffer, and MPI_BOTTOM is null in some MPIs.
void require_buffer(const void* buffer, std::int64_t count, MPI_Datatype type) {
    if (count < 0)
        throw InputError("an operation on a process group was given " + std::to_string(count) +
                         " elements");
    if (type == MPI_DATATYPE_NULL)
        throw InputError("an operation on a process group was given MPI_DATATYPE_NULL");
    if (buffer == MPI_IN_PLACE)
        throw UsageError(
            "an operation on a process group was given MPI_IN_PLACE where it needs a buffer: it is "
            "possible as `in` of an allreduce, and of a reduce at its root");
    if (buffer != nullptr || count == 0) return;
    int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
    mpi::check(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner),
               "MPI_Type_get_envelope");
    if (combiner == MPI_COMBINER_NAMED)
        throw InputError("an operation on a process group was given a null pointer for " +
                         std::to_string(count) + " elements");
}

/// Checks `in` and, if this process gets a result, `out`.
void require_buffers(const void* in, const void* out, std::int64_t count, MPI_Datatype type,
                     bool has_result) {
    if (in != MPI_IN_PLACE || !has_result) require_buffer(in, count, type);
    if (has_result) require_buffer(out, count, type);
}

/// Makes an operation in a slot of its own. `make` starts nothing.
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

ProcessGroup::Impl& of(const std::shared_ptr<ProcessGroup::Impl>& group) {
    if (!group)
        throw UsageError(
            "this ProcessGroup object is empty: its group was moved to another object");
    return *group;
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
    return split(member, of(impl_).options());
}
ProcessGroup ProcessGroup::split(bool member, const GroupOptions& options) const {
    of(impl_).require_live();
    return ProcessGroup(std::make_shared<Impl>(impl_, colour_of(member), options));
}
ProcessGroup ProcessGroup::split(GroupColour colour) const {
    return split(colour, of(impl_).options());
}
ProcessGroup ProcessGroup::split(GroupColour colour, const GroupOptions& options) const {
    of(impl_).require_live();
    ProcessGroup made(std::make_shared<Impl>(impl_, colour_of(colour), options));
    require_colour(colour);
    return made;
}
void ProcessGroup::renew() {
    of(impl_).renew();
}

bool ProcessGroup::member() const {
    of(impl_).require_live();
    return of(impl_).is_member();
}
int ProcessGroup::rank() const {
    return of(impl_).position().rank;
}
int ProcessGroup::size() const {
    return of(impl_).position().size;
}
std::size_t ProcessGroup::bytes() const {
    static_cast<void>(of(impl_).position());
    return of(impl_).bytes();
}
GroupAlgorithm ProcessGroup::algorithm() const {
    static_cast<void>(of(impl_).position());
    return of(impl_).algorithm();
}

void ProcessGroup::barrier() const {
    allreduce(nullptr, nullptr, 0, MPI_BYTE, MPI_BOR);
}
void ProcessGroup::broadcast(void* data, std::int64_t count, MPI_Datatype type, int root) const {
    of(impl_).require_rank(root, "root");
    share(rank() == root, data, count, type);
}
void ProcessGroup::share(bool mine, void* data, std::int64_t count, MPI_Datatype type) const {
    static_cast<void>(of(impl_).position());
    require_buffer(data, count, type);
    run(of(impl_),
        [&](int slot) { return broadcast_in(of(impl_), slot, mine, data, count, type); });
}
void ProcessGroup::reduce(const void* in, void* out, std::int64_t count, MPI_Datatype type,
                          MPI_Op op, int root) const {
    of(impl_).require_rank(root, "root");
    require_buffers(in, out, count, type, rank() == root);
    require_commutative(op);
    run(of(impl_),
        [&](int slot) { return reduction_to(of(impl_), slot, in, out, count, type, op, root); });
}
void ProcessGroup::allreduce(const void* in, void* out, std::int64_t count, MPI_Datatype type,
                             MPI_Op op) const {
    static_cast<void>(of(impl_).position());
    require_buffers(in, out, count, type, true);
    require_commutative(op);
    run(of(impl_), [&](int slot) {
        return reduction_in(of(impl_), slot, in, out, count, type, op, groups::ResultAt::all);
    });
}

GroupRequest ProcessGroup::start_barrier() const {
    return start_allreduce(nullptr, nullptr, 0, MPI_BYTE, MPI_BOR);
}
GroupRequest ProcessGroup::start_broadcast(void* data, std::int64_t count, MPI_Datatype type,
                                           int root) const {
    of(impl_).require_rank(root, "root");
    require_buffer(data, count, type);
    return GroupRequest(start(impl_, [&](int slot) {
        return broadcast_in(of(impl_), slot, rank() == root, data, count, type);
    }));
}
GroupRequest ProcessGroup::start_reduce(const void* in, void* out, std::int64_t count,
                                        MPI_Datatype type, MPI_Op op, int root) const {
    of(impl_).require_rank(root, "root");
    require_buffers(in, out, count, type, rank() == root);
    require_commutative(op);
    return GroupRequest(start(impl_, [&](int slot) {
        return reduction_to(of(impl_), slot, in, out, count, type, op, root);
    }));
}
GroupRequest ProcessGroup::start_allreduce(const void* in, void* out, std::int64_t count,
                                           MPI_Datatype type, MPI_Op op) const {
    static_cast<void>(of(impl_).position());
    require_buffers(in, out, count, type, true);
    require_commutative(op);
    return GroupRequest(start(impl_, [&](int slot) {
        return reduction_in(of(impl_), slot, in, out, count, type, op, groups::ResultAt::all);
    }));
}

void ProcessGroup::send(const void* data, std::int64_t count, MPI_Datatype type, int to,
                        int tag) const {
    of(impl_).require_rank(to, "receiver");
    require_tag(tag);
    require_buffer(data, count, type);
    of(impl_).space().run(groups::start_send(of(impl_).message_place(tag),
                                             static_cast<const std::byte*>(data), count, type,
                                             of(impl_).holder(to)));
}
void ProcessGroup::receive(void* data, std::int64_t count, MPI_Datatype type, int from,
                           int tag) const {
    of(impl_).require_rank(from, "sender");
    require_tag(tag);
    require_buffer(data, count, type);
    of(impl_).space().run(groups::start_receive(of(impl_).message_place(tag),
                                                static_cast<std::byte*>(data), count, type,
                                                of(impl_).holder(from)));
}

}  // namespace ductile
