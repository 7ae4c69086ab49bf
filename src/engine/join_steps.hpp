// The MPI operations of a join, on either side.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/bridge.hpp"
#include "engine/join.hpp"
#include "engine/mailbox.hpp"
#include "engine/peers.hpp"
#include "engine/spawn_steps.hpp"

namespace ductile::engine {

/// A connection that the program's leader has accepted.
struct Accepted {
    BridgeAnswer answer = BridgeAnswer::unauthenticated;
    mpi::SharedComm bridge;  ///< null unless the connector is welcome
    double seconds = 0;      ///< how long it took to connect
};

/// An interface, so that tests need neither MPI nor another side. Any thread may call it. The steps
/// are those of join.hpp. Each throws MpiError. A step with `progress` also throws Abandoned.
class JoinSteps {
  public:
    JoinSteps() = default;
    virtual ~JoinSteps() = default;
    JoinSteps(const JoinSteps&) = delete;
    JoinSteps& operator=(const JoinSteps&) = delete;

    // ---- before ----
    /// The program's leader opens a port for the newcomers' leader.
    virtual std::string open_port() = 0;
    /// The program's leader waits for one connector of this port, and judges its hello.
    virtual Accepted accept(const std::string& port, const BridgeHello& expected) = 0;
    /// A communicator of the ranks of `sources`, only for this transaction's join. Collective over
    /// them.
    virtual mpi::SharedComm own_comm(const mpi::Comm& sources, core::TransactionId transaction) = 0;
    /// See await_entry().
    virtual bool await_entry(const mpi::Comm& bridge, const std::function<bool()>& given_up) = 0;
    /// All sources sleep until the newcomers say that they enter the join. Collective over the
    /// sources.
    virtual void await_newcomers(const JoinSide& side, data::Progress& progress) = 0;
    /// The newcomers' leader says that they enter the join.
    virtual void enter(const mpi::Comm& bridge) = 0;

    // ---- the join ----
    virtual void handshake(const JoinSide& side, data::Progress& progress) = 0;
    /// See connect_sides().
    virtual MemberComms connect(const JoinSide& side, data::Progress& progress) = 0;
    virtual JoinedSides exchange_state(MemberComms comms, const std::string& state,
                                       data::Progress& progress, const OwnPart& own_part) = 0;
    virtual std::vector<std::uint8_t> min_of_all(const mpi::Comm& comm,
                                                 const std::vector<std::uint8_t>& mine,
                                                 data::Progress& progress) = 0;
    /// Waits until all ranks have all data that move ahead of the point.
    virtual void await_all_ahead(const mpi::Comm& comm, data::Progress& progress) = 0;
    virtual MemberComms comms_after(const MemberComms& joined, const data::Parties& parties,
                                    const JoinSide& side, data::Progress& progress) = 0;

    // ---- the commit ----
    /// The program's leader tells the newcomers' leader of the commit. It ignores an error: if the
    /// newcomers' leader has died, the broker knows it.
    virtual void tell_commit(const mpi::Comm& bridge) = 0;
    /// The newcomers sleep until the commit. Their leader hears of it over the bridge or from its
    /// agent (Commit), whichever message comes first, and tells the other newcomers. Collective
    /// over the newcomers.
    virtual void await_commit(const JoinSide& side, Mailbox& mail) = 0;
    /// Waits until all ranks have all data that move after the commit (tight memory).
    virtual void await_all_moved(const mpi::Comm& comm, data::Progress& progress) = 0;
};

/// All MPI operations of the switches. Shared, so that a helper that is stuck in MPI can be left
/// behind.
struct MpiCalls {
    std::shared_ptr<Peers> peers;
    std::shared_ptr<JoinSteps> join;
    std::shared_ptr<SpawnSteps> spawn;
};

}  // namespace ductile::engine
