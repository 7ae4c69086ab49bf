// The sources are joined with the newcomers while the program computes (docs/decisions/0024).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/agent_channel.hpp"
#include "engine/join.hpp"
#include "engine/move_ahead.hpp"

namespace ductile::engine {

struct BackgroundJoined {
    MemberComms comms;       ///< all sources, then all newcomers
    mpi::SharedComm bridge;  ///< on the job's rank 0
    data::MovedAhead ahead;
};

/// On each source, a thread a join. It uses a communicator that is its own alone, so neither a join
/// that fails nor a helper that stays in MPI disturbs the votes and switches of the program's
/// threads. Reports SourceJoined.
class BackgroundJoin {
  public:
    struct Order {
        JoinSide side;  ///< of the sources; a communicator of its own is made from its `local`
        int ranks = 0;  ///< of sources and newcomers
        core::Layout before;  ///< of the sources
        JoinState state;      ///< but for `packed`
        std::vector<data::FrozenArray> frozen{};
        bool verify = false;  ///< what moves
    };

    /// `on_working`: a join is under way, or no more; from any thread, and must not call back.
    BackgroundJoin(std::shared_ptr<AgentChannel> link, std::function<void(bool)> on_working);
    ~BackgroundJoin();
    BackgroundJoin(const BackgroundJoin&) = delete;
    BackgroundJoin& operator=(const BackgroundJoin&) = delete;

    // From the link's thread; none of these blocks.
    void begin(Order order);
    /// The newcomers are lost: the helper is to leave MPI.
    void abandon(core::TransactionId transaction);
    /// It is not wanted: a join that is under way comes to its end, and then nothing is left of it.
    /// True when there was one.
    bool drop(core::TransactionId transaction);

    /// Has begun, and is neither taken nor dropped.
    [[nodiscard]] bool is_open();
    /// The transaction of the join under way, if something was done since the last such question.
    std::optional<core::TransactionId> news();
    /// What this transaction's join has made, given away; nothing when it has not succeeded.
    std::optional<BackgroundJoined> take(core::TransactionId transaction);
    /// Waits for the helper; false when it is still inside MPI after `patience`.
    bool finish(std::chrono::milliseconds patience);

  private:
    struct State;
    static void run(const std::shared_ptr<State>& state, Order order, AgentChannel& link);

    std::shared_ptr<State> of(core::TransactionId transaction);

    const std::shared_ptr<AgentChannel> link_;
    const std::function<void(bool)> on_working_;
    std::mutex mutex_;
    std::shared_ptr<State> state_;  ///< of the last one
};

}  // namespace ductile::engine
