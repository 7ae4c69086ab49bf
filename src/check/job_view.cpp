#include "check/job_view.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace ductile::check {

namespace {

Handle handle_of_request(MPI_Request request) {
    Handle handle = 0;
    std::memcpy(&handle, &request, sizeof(request));
    return handle;
}

std::string describe(const Peer& peer, const Communicator& comm) {
    if (peer.side == Peer::Side::none || peer.rank == MPI_PROC_NULL || peer.rank == MPI_ROOT)
        return "";
    std::string text = peer.side == Peer::Side::from ? " from "
                       : peer.side == Peer::Side::to ? " to "
                                                     : " with root ";
    if (peer.rank == MPI_ANY_SOURCE)
        text += "any rank";
    else if (const int of_job = comm.job_rank(peer.rank); of_job >= 0)
        text += "rank " + std::to_string(of_job);
    else
        text += "its rank " + std::to_string(peer.rank);
    if (peer.tag != MPI_ANY_TAG) text += ", tag " + std::to_string(peer.tag);
    return text + (peer.side == Peer::Side::root ? "" : ",");
}

std::string describe(const Communicator& comm) {
    const std::string job = comm.old ? "the communicator that the job had before the last resize"
                                     : "the job's communicator";
    switch (comm.origin) {
        case Origin::world:
            return " on MPI_COMM_WORLD";
        case Origin::job:
            return " on " + job;
        case Origin::made:
            return " on a communicator made from " + job;
        default:
            return " on a communicator of the program's";
    }
}

bool is_collective(Kind kind) {
    return kind == Kind::collective || kind == Kind::starts_collective;
}

/// For each process of `made`: its rank in `from`. Local.
std::vector<int> places_in(MPI_Comm made, MPI_Comm from) {
    int is_inter = 0;
    if (PMPI_Comm_test_inter(made, &is_inter) != MPI_SUCCESS || is_inter != 0) return {};
    MPI_Group mine = MPI_GROUP_NULL;
    MPI_Group others = MPI_GROUP_NULL;
    int size = 0;
    if (PMPI_Comm_group(made, &mine) != MPI_SUCCESS) return {};
    std::vector<int> places;
    if (PMPI_Comm_group(from, &others) == MPI_SUCCESS) {
        PMPI_Group_size(mine, &size);
        std::vector<int> ranks(static_cast<std::size_t>(size));
        std::iota(ranks.begin(), ranks.end(), 0);
        places.resize(ranks.size(), MPI_UNDEFINED);
        PMPI_Group_translate_ranks(mine, size, ranks.data(), others, places.data());
        PMPI_Group_free(&others);
    }
    PMPI_Group_free(&mine);
    return places;
}

}  // namespace

JobView::JobView() : comms_(handle_of(MPI_COMM_WORLD)) {
    own_code_.read();
}

void JobView::job_is(MPI_Comm job, std::int64_t point, bool newcomer) {
    const std::lock_guard lock(mutex_);
    own_code_.read();  // a program may have loaded libductile late
    PMPI_Comm_rank(job, &rank_);
    PMPI_Comm_size(job, &size_);
    comms_.job_is(handle_of(job), size_, point);
    counted_ = {};
    counted_.rank = rank_;
    counted_.resized = point > 0;
    counted_.newcomer = newcomer;
}

void JobView::job_ends() {
    const std::lock_guard lock(mutex_);
    comms_.job_ends();
}

void JobView::world_is_job() {
    const std::lock_guard lock(mutex_);
    one_world_ = true;
}

bool JobView::is_programs(const void* caller) const {
    const std::lock_guard lock(mutex_);
    return !own_code_.holds(caller);
}

Seen JobView::see(const CallSite& site, Kind kind, MPI_Comm comm, const Peer& peer) {
    const std::lock_guard lock(mutex_);
    Seen seen;
    if (own_code_.holds(site.caller)) return seen;
    seen.is_programs = true;
    const auto known = comms_.find(handle_of(comm));
    seen.about = describe(peer, known) + describe(known);
    if (known.origin == Origin::job && !known.old && is_collective(kind)) {
        const auto n = static_cast<std::size_t>(counted_.collectives++);
        if (n < RankState::kept) counted_.first[n] = std::string_view(site.name);
        seen.collective = counted_.collectives;
    }
    seen.finding = finding(site, known, seen.about);
    return seen;
}

std::string JobView::who() const {
    const std::lock_guard lock(mutex_);
    return name();
}

std::string JobView::name() const {
    return rank_ < 0 ? "a rank that has no Job yet"
                     : "rank " + std::to_string(rank_) + " of " + std::to_string(size_);
}

// A program without a Job may use MPI_COMM_WORLD: it has no other communicator.
std::string JobView::finding(const CallSite& site, const Communicator& comm,
                             const std::string& about) {
    std::string why;
    if (comm.origin == Origin::world && own_code_.has_library() && !one_world_)
        why =
            "it holds the ranks that were started together, and never changes. Use the job's "
            "communicator (Job::comm(); in C ductile_job_comm(); in DMR DMR_COMM)";
    else if (comm.old)
        why = comm.origin == Origin::job
                  ? "it is void. Ask for the job's communicator again after each resize "
                    "(Job::comm(); "
                    "in C ductile_job_comm(); in DMR DMR_COMM)"
                  : "ranks have come or gone since. Make it anew after each resize, in "
                    "Job::on_rebuild()";
    else
        return "";
    const auto place = place_of(site.caller);
    if (!reported_.insert(site.name + place + why).second) return "";
    return name() + " calls " + site.name + about + ": " + why + " (called at " + place + ")";
}

void JobView::made(MPI_Comm made, MPI_Comm from) {
    if (made == MPI_COMM_NULL) return;
    const auto places = places_in(made, from);
    const std::lock_guard lock(mutex_);
    comms_.made(handle_of(made), handle_of(from), places);
}

void JobView::freed(MPI_Comm comm) {
    const std::lock_guard lock(mutex_);
    comms_.freed(handle_of(comm));
}

void JobView::forget(MPI_Comm comm) {
    const std::lock_guard lock(mutex_);
    comms_.forget(handle_of(comm));
}

// MPI reuses the value of a completed request for a later one. So the map stays small.
void JobView::began(MPI_Request request, const CallSite& site, MPI_Comm comm, const Peer& peer) {
    if (request == MPI_REQUEST_NULL) return;
    const std::lock_guard lock(mutex_);
    const auto known = comms_.find(handle_of(comm));
    requests_[handle_of_request(request)] =
        " for " + std::string(site.name) + describe(peer, known) + describe(known);
}

std::string JobView::about(int count, const MPI_Request* requests) const {
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < count; ++i) {
        const auto found = requests_.find(handle_of_request(requests[i]));
        if (requests[i] != MPI_REQUEST_NULL && found != requests_.end())
            return (count > 1 ? " for " + std::to_string(count) + " requests, one of them" : "") +
                   found->second;
    }
    return "";
}

RankState JobView::state() const {
    const std::lock_guard lock(mutex_);
    auto state = counted_;
    state.rank = rank_;
    return state;
}

}  // namespace ductile::check
