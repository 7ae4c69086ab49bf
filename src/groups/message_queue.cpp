#include "groups/message_queue.hpp"

#include "mpi/check.hpp"

namespace ductile::groups {

MessageQueue::MessageQueue(const mpi::Comm& comm, int tag)
    : comm_(comm.get()), tag_(tag), self_{comm.rank()} {}

MessageQueue::~MessageQueue() {
    if (!mpi::is_running() || outgoing_.empty()) return;
    // Does not wait for open sends: a receiver that has ended would never take them. MPI may still
    // read their words, so this memory is never freed.
    auto* left = new std::list<Outgoing>(std::move(outgoing_));
    for (auto& packet : *left) MPI_Request_free(&packet.request);
}

bool MessageQueue::all_sent() {
    forget_sent();
    return outgoing_.empty();
}

void MessageQueue::send(tree::ProcessId to, std::vector<std::int32_t> words) {
    if (to == self_) {
        to_self_.push_back({self_, std::move(words)});
        return;
    }
    forget_sent();
    auto& packet = outgoing_.emplace_back(Outgoing{std::move(words)});
    mpi::check(MPI_Isend(packet.words.data(), static_cast<int>(packet.words.size()), MPI_INT32_T,
                         to.value, tag_, comm_, &packet.request),
               "MPI_Isend");
}

std::optional<Packet> MessageQueue::receive() {
    if (!to_self_.empty()) {
        auto packet = std::move(to_self_.front());
        to_self_.pop_front();
        return packet;
    }
    int there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    mpi::check(MPI_Improbe(MPI_ANY_SOURCE, tag_, comm_, &there, &message, &status), "MPI_Improbe");
    if (there == 0) return std::nullopt;
    int count = 0;
    mpi::check(MPI_Get_count(&status, MPI_INT32_T, &count), "MPI_Get_count");
    Packet packet{tree::ProcessId{status.MPI_SOURCE}, {}};
    packet.words.resize(static_cast<std::size_t>(count));
    mpi::check(MPI_Mrecv(packet.words.data(), count, MPI_INT32_T, &message, MPI_STATUS_IGNORE),
               "MPI_Mrecv");
    return packet;
}

void MessageQueue::forget_sent() {
    for (auto packet = outgoing_.begin(); packet != outgoing_.end();) {
        int done = 0;
        mpi::check(MPI_Test(&packet->request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        packet = done != 0 ? outgoing_.erase(packet) : std::next(packet);
    }
}

}  // namespace ductile::groups
