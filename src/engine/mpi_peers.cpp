#include "engine/mpi_peers.hpp"

#include "engine/join.hpp"

namespace ductile::engine {

namespace {

class MpiPeers final : public Peers {
  public:
    [[nodiscard]] ductile::Place place_in(const mpi::Comm& comm) const override {
        return {comm.rank(), comm.size()};
    }
    void take_error_handler(const mpi::SharedComm& before, const mpi::Comm& job) override {
        mpi::take_error_handler(before ? before->get() : MPI_COMM_WORLD, job);
    }
    Tally vote(const mpi::Comm& comm, const Ballot& ballot) override {
        return cast_vote(comm, ballot);
    }
    std::string text_of_rank_0(const mpi::Comm& comm, const std::string& mine) override {
        data::Progress nobody_looks;
        return broadcast_state(comm, mine, nobody_looks);
    }
    MemberComms among(const mpi::Comm& all, const std::vector<core::Rank>& ranks) override {
        return engine::among(all, ranks);
    }
    mpi::SharedComm duplicate(const mpi::Comm& comm) override {
        return mpi::share(comm.duplicate());
    }
    data::Moved move(plan::Executor executor, const mpi::Comm& comm, const data::Movement& movement,
                     data::Progress& progress) override {
        return data::redistribute(executor, comm, movement, progress);
    }
    void send_verdict(const mpi::Comm& comm, const Verdict& verdict, core::Rank to) override {
        engine::send_verdict(comm, verdict, to);
    }
    std::optional<Verdict> take_verdict(const mpi::Comm& comm) override {
        return engine::take_verdict(comm);
    }
};

}  // namespace

std::shared_ptr<Peers> peers_over_mpi() {
    return std::make_shared<MpiPeers>();
}

}  // namespace ductile::engine
