#include "check/communicators.hpp"

#include <numeric>

namespace ductile::check {

int Communicator::job_rank(int rank) const {
    return rank >= 0 && rank < static_cast<int>(job_ranks.size())
               ? job_ranks[static_cast<std::size_t>(rank)]
               : -1;
}

Communicators::Communicators(Handle world) : world_(world) {
    known_[world].origin = Origin::world;
}

// An MPI reuses the handles of freed communicators. So the job's new communicator may have the
// handle of an old communicator.
void Communicators::job_is(Handle handle, int ranks, std::int64_t point) {
    job_ends();
    Communicator job{Origin::job, false, point, {}};
    job.job_ranks.resize(static_cast<std::size_t>(ranks));
    std::iota(job.job_ranks.begin(), job.job_ranks.end(), 0);
    known_[handle] = std::move(job);
}

void Communicators::job_ends() {
    for (auto& [handle, one] : known_)
        if (one.origin == Origin::job || one.origin == Origin::made) one.old = true;
}

void Communicators::made(Handle handle, Handle from, const std::vector<int>& places) {
    const auto parent = find(from);
    Communicator made = parent;
    made.job_ranks.clear();
    const bool is_of_job = parent.origin == Origin::job || parent.origin == Origin::made;
    made.origin = is_of_job ? Origin::made : Origin::other;
    if (is_of_job)
        for (const int place : places) made.job_ranks.push_back(parent.job_rank(place));
    known_[handle] = std::move(made);
}

// Ductile frees the job's communicator itself. Its handle is invalid for the program after that.
void Communicators::freed(Handle handle) {
    if (find(handle).origin == Origin::made || find(handle).origin == Origin::other)
        known_.erase(handle);
}

void Communicators::forget(Handle handle) {
    const auto known = find(handle);
    const bool is_jobs = known.origin == Origin::job && !known.old;
    if (handle != world_ && !is_jobs) known_.erase(handle);
}

Communicator Communicators::find(Handle handle) const {
    const auto found = known_.find(handle);
    return found == known_.end() ? Communicator{} : found->second;
}

}  // namespace ductile::check
