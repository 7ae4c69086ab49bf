#include "engine/verdict.hpp"

#include "engine/switch_tags.hpp"

namespace ductile::engine {

void send_verdict(const mpi::Comm& comm, const Verdict& verdict, core::Rank to) {
    std::vector<int> words{verdict.transaction.value, verdict.members};
    for (const auto rank : verdict.all) words.push_back(rank.value);
    mpi::check(MPI_Send(words.data(), static_cast<int>(words.size()), MPI_INT, to.value,
                        verdict_tag, comm.get()),
               "MPI_Send");
}

std::optional<Verdict> take_verdict(const mpi::Comm& comm) {
    int there = 0;
    MPI_Status status;
    mpi::check(MPI_Iprobe(MPI_ANY_SOURCE, verdict_tag, comm.get(), &there, &status), "MPI_Iprobe");
    if (there == 0) return std::nullopt;
    int count = 0;
    mpi::check(MPI_Get_count(&status, MPI_INT, &count), "MPI_Get_count");
    std::vector<int> words(static_cast<std::size_t>(count));
    mpi::check(MPI_Recv(words.data(), count, MPI_INT, status.MPI_SOURCE, verdict_tag, comm.get(),
                        MPI_STATUS_IGNORE),
               "MPI_Recv");
    Verdict verdict;
    verdict.transaction = core::TransactionId{words.at(0)};
    verdict.members = words.at(1);
    for (std::size_t i = 2; i < words.size(); ++i) verdict.all.emplace_back(words[i]);
    return verdict;
}

}  // namespace ductile::engine
