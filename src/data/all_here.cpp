#include "data/all_here.hpp"

#include <algorithm>
#include <memory>

namespace ductile::data {

namespace {

constexpr int here_tag = 0x0d10;

}  // namespace

// A binomial tree. MPI_Comm_dup in the join uses the same pairs, so they have connections.
void AllHere::begin(const mpi::Comm& comm, std::int64_t mine) {
    comm_ = &comm;
    largest_ = mine;
    const int me = comm.rank();
    for (int bit = 1; (me & bit) == 0 && me + bit < comm.size(); bit *= 2)
        below_.push_back(me + bit);
    received_below_.resize(below_.size());
    for (std::size_t i = 0; i < below_.size(); ++i)
        mpi::check(MPI_Irecv(&received_below_[i], 1, MPI_INT64_T, below_[i], here_tag, comm.get(),
                             gathering_.add()),
                   "MPI_Irecv");
    if (me > 0) {
        above_ = me & (me - 1);
        mpi::check(
            MPI_Irecv(&largest_, 1, MPI_INT64_T, above_, here_tag, comm.get(), waiting_.add()),
            "MPI_Irecv");
    }
    to_send_above_ = mine;
    if (below_.empty()) send_above();
}

void AllHere::send_above() {
    has_sent_above_ = true;
    if (above_ < 0) {
        largest_ = to_send_above_;
        return;
    }
    mpi::check(
        MPI_Isend(&to_send_above_, 1, MPI_INT64_T, above_, here_tag, comm_->get(), waiting_.add()),
        "MPI_Isend");
}

void AllHere::send_below() {
    has_sent_below_ = true;
    for (const int rank : below_)
        mpi::check(
            MPI_Isend(&largest_, 1, MPI_INT64_T, rank, here_tag, comm_->get(), sending_.add()),
            "MPI_Isend");
}

bool AllHere::advance(Progress& progress, const GivenUp& given_up) {
    const auto receive = [this](std::size_t which) {
        to_send_above_ = std::max(to_send_above_, received_below_[which]);
    };
    if (!gathering_.complete_all(progress, given_up, receive)) return false;
    if (!has_sent_above_) send_above();
    if (!waiting_.complete_all(progress, given_up)) return false;
    if (!has_sent_below_) send_below();
    return sending_.complete_all(progress, given_up);
}

bool wait_for_all(const mpi::Comm& comm, Progress& progress, const GivenUp& given_up) {
    auto here = std::make_unique<AllHere>();
    auto* const kept = here.release();  // MPI may use it until all are here
    kept->begin(comm, 0);
    if (!kept->advance(progress, given_up)) return false;
    here.reset(kept);
    return true;
}

}  // namespace ductile::data
