// Joins the sources with the newcomers while the program computes (docs/decisions/0024).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/agent_channel.hpp"
#include "engine/join_steps.hpp"
#include "engine/move_ahead.hpp"

namespace ductile::engine {

struct BackgroundJoined {
    MemberComms comms;       ///< all sources, then all newcomers
    mpi::SharedComm bridge;  ///< null except on the job's rank 0
    data::MovedAhead ahead;
};

/// On each source, one helper thread for each join. Each join has a communicator of its own. So a
/// join that fails, or a helper that is stuck in MPI, does not disturb the votes and switches of
/// the program's threads. Reports SourceJoined.
class BackgroundJoin {
  public:
    struct Order {
        MpiCalls mpi;
        JoinSide side;        ///< of the sources; the join makes its own communicator from `local`
        int ranks = 0;        ///< number of sources and newcomers
        core::Layout before;  ///< the layout of the sources
        JoinState state;      ///< without `packed`
        std::vector<data::FrozenArray> frozen{};
        bool verify = false;  ///< whether to verify the data that move
    };

    /// `on_working`: called with true when a join begins, with false when it ends. Any thread may
    /// call `on_working`. It must not call this object.
    BackgroundJoin(std::shared_ptr<AgentChannel> link, std::function<void(bool)> on_working);
    ~BackgroundJoin();
    BackgroundJoin(const BackgroundJoin&) = delete;
    BackgroundJoin& operator=(const BackgroundJoin&) = delete;

    // The link's thread calls these. None of them blocks.
    void begin(Order order);
    /// The newcomers are lost: the helper leaves MPI as soon as it can.
    void abandon(core::TransactionId transaction);
    /// The resize is cancelled. A join under way continues to its end, and its result is dropped.
    /// True if this transaction had a join.
    bool drop(core::TransactionId transaction);

    /// A join has begun, and was neither taken nor dropped.
    [[nodiscard]] bool is_open();
    /// The transaction of the join under way, if it made progress since the last call.
    std::optional<core::TransactionId> take_progress();
    /// Moves the result of this transaction's join to the caller. Nothing if the join has not
    /// succeeded.
    std::optional<BackgroundJoined> take(core::TransactionId transaction);
    /// Waits for the helper, for `patience` at most (300 ms if the join is abandoned). False if the
    /// helper still works then, or if this process can no longer rely on MPI.
    bool finish(std::chrono::milliseconds patience);

  private:
    struct State;
    static void run(const std::shared_ptr<State>& state, Order order, AgentChannel& link);

    std::shared_ptr<State> of(core::TransactionId transaction);

    const std::shared_ptr<AgentChannel> link_;
    const std::function<void(bool)> on_working_;
    std::mutex mutex_;
    std::shared_ptr<State> state_;  ///< of the last join
};

}  // namespace ductile::engine
