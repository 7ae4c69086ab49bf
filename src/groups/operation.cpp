#include "groups/operation.hpp"

#include <climits>
#include <cstring>
#include <string>
#include <thread>

#include "mpi/check.hpp"

namespace ductile::groups {

bool Sequence::test() {
    while (done_ < all_.size() && all_[done_]->test()) ++done_;
    return complete();
}

void Sequence::wait() {
    for (; done_ < all_.size(); ++done_) all_[done_]->wait();
}

RequestOperation::~RequestOperation() {
    if (complete_ || !mpi::is_running()) return;
    // The operation was given up: MPI must not write into a buffer that is gone.
    for (std::size_t place = 0; place < requests_.size(); ++place) {
        auto& request = requests_[place];
        if (request == MPI_REQUEST_NULL) continue;
        if (expected_[place] != no_receive) {
            MPI_Cancel(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Request_free(&request);
        }
    }
}

bool RequestOperation::settle() {
    if (complete_) return true;
    const bool last = post();
    for (const auto request : requests_)
        if (request != MPI_REQUEST_NULL) return false;
    return complete_ = last;
}

bool RequestOperation::test() {
    while (!settle()) {
        int place = 0, done = 0;
        MPI_Status status;
        mpi::check(MPI_Testany(static_cast<int>(requests_.size()), requests_.data(), &place, &done,
                               &status),
                   "MPI_Testany");
        if (done == 0 || place == MPI_UNDEFINED) return false;
        require_length(static_cast<std::size_t>(place), status);
        arrived(static_cast<std::size_t>(place), status.MPI_SOURCE);
    }
    return true;
}

void RequestOperation::require_length(std::size_t place, const MPI_Status& status) const {
    if (expected_[place] == no_receive) return;
    int bytes = 0, came = 0;
    mpi::check(MPI_Type_size(received_, &bytes), "MPI_Type_size");
    mpi::check(MPI_Get_count(&status, received_, &came), "MPI_Get_count");
    if (bytes > 0 && came != expected_[place])
        throw UsageError(
            "members of a process group disagree: a message of " +
            std::to_string(expected_[place]) + " elements was expected, and " +
            (came == MPI_UNDEFINED ? "no whole number of elements" : std::to_string(came)) +
            " came. Did all members call the same operations, in the same order, with "
            "the same counts?");
}

// Does not use MPI_Waitany, which does not yield the core in MPICH. If ranks share cores, each hop
// would cost a time slice (a barrier of 8 ranks on 2 cores took 33 ms).
void RequestOperation::wait() {
    constexpr int tests_in_a_row = 20;
    for (int tests = 0; !test(); ++tests)
        if (tests >= tests_in_a_row) std::this_thread::yield();
}

void RequestOperation::send(std::size_t place, const void* data, int count, MPI_Datatype type,
                            int to) {
    expected_[place] = no_receive;
    mpi::check(MPI_Isend(data, count, type, to, place_.tag, place_.comm, &requests_[place]),
               "MPI_Isend");
}

void RequestOperation::receive(std::size_t place, void* data, int count, MPI_Datatype type,
                               int from) {
    expected_[place] = count;
    received_ = type;
    mpi::check(MPI_Irecv(data, count, type, from, place_.tag, place_.comm, &requests_[place]),
               "MPI_Irecv");
}

void RequestOperation::copy(const std::byte* from, std::byte* to, int count,
                            const Segments& segments) const {
    if (segments.dense()) {
        std::memcpy(to, from, static_cast<std::size_t>(count * segments.extent()));
        return;
    }
    const int self = place_.position->self.value;
    mpi::check(MPI_Sendrecv(from, count, segments.type(), self, place_.tag, to, count,
                            segments.type(), self, place_.tag, place_.comm, MPI_STATUS_IGNORE),
               "MPI_Sendrecv");
}

namespace {

/// A message, cut into pieces that MPI can count.
class Message final : public RequestOperation {
  public:
    Message(const OperationPlace& place, const std::byte* data, std::int64_t count,
            MPI_Datatype type, int peer, bool sends)
        : RequestOperation(place, 1),
          // More than 2^31 - 1 elements need several messages. Both sides cut at the same places.
          segments_(count, type, INT64_MAX),
          data_(data),
          count_(count),
          peer_(peer),
          sends_(sends) {}

  private:
    void arrived(std::size_t, int) override {}
    bool post() override {
        if (!free(0) || at_ == count_ + (count_ == 0 ? 1 : 0)) return at_ >= count_;
        const int piece = static_cast<int>(std::min<std::int64_t>(count_ - at_, INT_MAX));
        const auto* data = data_ + at_ * segments_.extent();
        if (sends_)
            send(0, data, piece, segments_.type(), peer_);
        else
            receive(0, const_cast<std::byte*>(data), piece, segments_.type(), peer_);
        at_ += std::max(piece, 1);  // an empty message is also sent
        return at_ >= count_;
    }

    Segments segments_;
    const std::byte* data_;
    std::int64_t count_;
    std::int64_t at_ = 0;
    int peer_;
    bool sends_;
};

}  // namespace

std::unique_ptr<Operation> start_send(const OperationPlace& place, const std::byte* data,
                                      std::int64_t count, MPI_Datatype type, int to) {
    return std::make_unique<Message>(place, data, count, type, to, true);
}

std::unique_ptr<Operation> start_receive(const OperationPlace& place, std::byte* data,
                                         std::int64_t count, MPI_Datatype type, int from) {
    return std::make_unique<Message>(place, data, count, type, from, false);
}

}  // namespace ductile::groups
