// The C interface of process groups: handles, and exceptions as codes.
#include "job/c_handles.hpp"

namespace {

using ductile::GroupAlgorithm;
using ductile::GroupFiller;
using ductile::GroupOptions;
using ductile::ProcessGroup;
using ductile::c::answer_or;
using ductile::c::given;
using ductile::c::guarded;

static_assert(static_cast<int>(GroupAlgorithm::shrink_and_hash) == DUCTILE_GROUP_SHRINK_AND_HASH);
static_assert(static_cast<int>(GroupFiller::leaf) == DUCTILE_FILLER_LEAF);

const ProcessGroup& of(const ductile_group* group) {
    return given(group, "the group")->group;
}

GroupOptions options_of(const ductile_group_options& from) {
    if (from.algorithm < DUCTILE_GROUP_AUTOMATIC || from.algorithm > DUCTILE_GROUP_SHRINK_AND_HASH)
        throw ductile::InputError("algorithm in ductile_group_options has an unknown value");
    if (from.filler < DUCTILE_FILLER_AUTOMATIC || from.filler > DUCTILE_FILLER_LEAF)
        throw ductile::InputError("filler in ductile_group_options has an unknown value");
    GroupOptions options;
    options.algorithm = static_cast<GroupAlgorithm>(from.algorithm);
    options.filler = static_cast<GroupFiller>(from.filler);
    if (from.branching != 0) options.branching = from.branching;
    options.by_host = from.by_host != 0;
    if (from.segment_bytes != 0) options.segment_bytes = from.segment_bytes;
    return options;
}

void hand_out(ductile::GroupRequest made, ductile_group_request** request) {
    *request = new ductile_group_request{std::move(made)};
}

}  // namespace

int ductile_group_of_comm(MPI_Comm comm, const ductile_group_options* options,
                          ductile_group** group) {
    return guarded([&] {
        *given(group, "the new group's handle") = nullptr;
        const auto chosen = options == nullptr ? GroupOptions{} : options_of(*options);
        *group = new ductile_group{ProcessGroup(comm, chosen)};
    });
}

int ductile_group_split(const ductile_group* parent, int colour,
                        const ductile_group_options* options, ductile_group** group) {
    return guarded([&] {
        *given(group, "the new group's handle") = nullptr;
        *group =
            new ductile_group{options == nullptr ? of(parent).split(ductile::GroupColour{colour})
                                                 : of(parent).split(ductile::GroupColour{colour},
                                                                    options_of(*options))};
    });
}

int ductile_group_of_job(ductile_job* job, int colour, const ductile_group_options* options,
                         ductile_group** group) {
    return guarded([&] {
        *given(group, "the new group's handle") = nullptr;
        const auto chosen = options == nullptr ? GroupOptions{} : options_of(*options);
        *group = new ductile_group{
            ProcessGroup(ductile::c::job_of(job), ductile::GroupColour{colour}, chosen)};
    });
}

int ductile_group_renew(ductile_group* group) {
    return guarded([&] { given(group, "the group")->group.renew(); });
}

int ductile_group_free(ductile_group** group) {
    return guarded([&] {
        delete *given(group, "the handle");
        *group = nullptr;
    });
}

int ductile_group_member(const ductile_group* group) {
    return answer_or(0, [&] { return of(group).member() ? 1 : 0; });
}
int ductile_group_rank(const ductile_group* group) {
    return ductile_group_member(group) == 1 ? group->group.rank() : -1;
}
int ductile_group_size(const ductile_group* group) {
    return ductile_group_member(group) == 1 ? group->group.size() : -1;
}

int ductile_group_barrier(const ductile_group* group) {
    return guarded([&] { of(group).barrier(); });
}
int ductile_group_broadcast(const ductile_group* group, void* data, int64_t count,
                            MPI_Datatype type, int root) {
    return guarded([&] { of(group).broadcast(data, count, type, root); });
}
int ductile_group_share(const ductile_group* group, int mine, void* data, int64_t count,
                        MPI_Datatype type) {
    return guarded([&] { of(group).share(mine != 0, data, count, type); });
}
int ductile_group_reduce(const ductile_group* group, const void* in, void* out, int64_t count,
                         MPI_Datatype type, MPI_Op op, int root) {
    return guarded([&] { of(group).reduce(in, out, count, type, op, root); });
}
int ductile_group_allreduce(const ductile_group* group, const void* in, void* out, int64_t count,
                            MPI_Datatype type, MPI_Op op) {
    return guarded([&] { of(group).allreduce(in, out, count, type, op); });
}

int ductile_group_start_barrier(const ductile_group* group, ductile_group_request** request) {
    return guarded([&] { hand_out(of(group).start_barrier(), given(request, "the request")); });
}
int ductile_group_start_broadcast(const ductile_group* group, void* data, int64_t count,
                                  MPI_Datatype type, int root, ductile_group_request** request) {
    return guarded([&] {
        given(request, "the request");
        hand_out(of(group).start_broadcast(data, count, type, root), request);
    });
}
int ductile_group_start_reduce(const ductile_group* group, const void* in, void* out, int64_t count,
                               MPI_Datatype type, MPI_Op op, int root,
                               ductile_group_request** request) {
    return guarded([&] {
        given(request, "the request");
        hand_out(of(group).start_reduce(in, out, count, type, op, root), request);
    });
}
int ductile_group_start_allreduce(const ductile_group* group, const void* in, void* out,
                                  int64_t count, MPI_Datatype type, MPI_Op op,
                                  ductile_group_request** request) {
    return guarded([&] {
        given(request, "the request");
        hand_out(of(group).start_allreduce(in, out, count, type, op), request);
    });
}

int ductile_group_test(ductile_group_request** request, int* complete) {
    return guarded([&] {
        *given(complete, "the answer") = 0;
        auto*& pending = *given(request, "the request");
        if (pending != nullptr && !pending->request.test()) return;
        delete pending;
        pending = nullptr;
        *complete = 1;
    });
}
int ductile_group_wait(ductile_group_request** request) {
    return guarded([&] {
        auto*& pending = *given(request, "the request");
        if (pending == nullptr) return;
        pending->request.wait();
        delete pending;
        pending = nullptr;
    });
}

int ductile_group_send(const ductile_group* group, const void* data, int64_t count,
                       MPI_Datatype type, int to, int tag) {
    return guarded([&] { of(group).send(data, count, type, to, tag); });
}
int ductile_group_receive(const ductile_group* group, void* data, int64_t count, MPI_Datatype type,
                          int from, int tag) {
    return guarded([&] { of(group).receive(data, count, type, from, tag); });
}
