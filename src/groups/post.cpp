#include "groups/post.hpp"

#include "mpi/check.hpp"

namespace ductile::groups {

Post::Post(const mpi::Comm& comm, int tag) : comm_(comm.get()), tag_(tag), self_{comm.rank()} {}

Post::~Post() {
    if (!mpi::is_running() || outgoing_.empty()) return;
    // Not waited for: a receiver that has ended in the meantime would never take them. MPI may
    // still read their words.
    auto* left = new std::list<Outgoing>(std::move(outgoing_));
    for (auto& letter : *left) MPI_Request_free(&letter.request);
}

bool Post::all_sent() {
    forget_sent();
    return outgoing_.empty();
}

void Post::send(tree::ProcessId to, std::vector<std::int32_t> words) {
    if (to == self_) {
        to_self_.push_back({self_, std::move(words)});
        return;
    }
    forget_sent();
    auto& letter = outgoing_.emplace_back(Outgoing{std::move(words)});
    mpi::check(MPI_Isend(letter.words.data(), static_cast<int>(letter.words.size()), MPI_INT32_T,
                         to.value, tag_, comm_, &letter.request),
               "MPI_Isend");
}

std::optional<Letter> Post::receive() {
    if (!to_self_.empty()) {
        auto letter = std::move(to_self_.front());
        to_self_.pop_front();
        return letter;
    }
    int there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    mpi::check(MPI_Improbe(MPI_ANY_SOURCE, tag_, comm_, &there, &message, &status), "MPI_Improbe");
    if (there == 0) return std::nullopt;
    int count = 0;
    mpi::check(MPI_Get_count(&status, MPI_INT32_T, &count), "MPI_Get_count");
    Letter letter{tree::ProcessId{status.MPI_SOURCE}, {}};
    letter.words.resize(static_cast<std::size_t>(count));
    mpi::check(MPI_Mrecv(letter.words.data(), count, MPI_INT32_T, &message, MPI_STATUS_IGNORE),
               "MPI_Mrecv");
    return letter;
}

void Post::forget_sent() {
    for (auto letter = outgoing_.begin(); letter != outgoing_.end();) {
        int done = 0;
        mpi::check(MPI_Test(&letter->request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        letter = done != 0 ? outgoing_.erase(letter) : std::next(letter);
    }
}

}  // namespace ductile::groups
