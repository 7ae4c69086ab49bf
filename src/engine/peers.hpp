// The MPI operations of a member with the other ranks of its job.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/redistribution.hpp"
#include "ductile/schema.hpp"
#include "engine/membership.hpp"
#include "engine/verdict.hpp"
#include "engine/vote.hpp"

namespace ductile::engine {

/// An interface, so that tests need neither MPI nor other ranks. A resize point without a switch
/// does not call it. Any thread may call it.
class Peers {
  public:
    Peers() = default;
    virtual ~Peers() = default;
    Peers(const Peers&) = delete;
    Peers& operator=(const Peers&) = delete;

    // ---- local ----
    /// The rank of this process in a communicator, and the size.
    [[nodiscard]] virtual ductile::Place place_in(const mpi::Comm& comm) const = 0;
    /// Gives `job` the error handler of `before`, for the program's calls. If `before` is null: the
    /// handler of MPI_COMM_WORLD.
    virtual void take_error_handler(const mpi::SharedComm& before, const mpi::Comm& job) = 0;

    // ---- collective over `comm`, or over `ranks` alone; these throw MpiError ----
    /// See cast_vote().
    virtual Tally vote(const mpi::Comm& comm, const Ballot& ballot) = 0;
    /// Returns rank 0's text on every rank.
    virtual std::string text_of_rank_0(const mpi::Comm& comm, const std::string& mine) = 0;
    /// See engine::among().
    virtual MemberComms among(const mpi::Comm& all, const std::vector<core::Rank>& ranks) = 0;
    virtual mpi::SharedComm duplicate(const mpi::Comm& comm) = 0;
    /// See data::redistribute().
    virtual data::Moved move(plan::Executor executor, const mpi::Comm& comm,
                             const data::Movement& movement, data::Progress& progress) = 0;

    // ---- between members and parked ranks ----
    virtual void send_verdict(const mpi::Comm& comm, const Verdict& verdict, core::Rank to) = 0;
    /// Nothing if no verdict has come.
    virtual std::optional<Verdict> take_verdict(const mpi::Comm& comm) = 0;
};

}  // namespace ductile::engine
