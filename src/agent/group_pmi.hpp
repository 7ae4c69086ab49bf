// What a group's ranks say by PMI-1, and what they are answered.
#pragma once

#include <asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "agent/agent_context.hpp"
#include "agent/rank_questions.hpp"
#include "pmi/host_world.hpp"

namespace ductile::agent {

/// What is done to ranks for what they say.
struct RankHands {
    /// False: the rank reads nothing, and too much waits for it.
    std::function<bool(core::Rank, const std::string& line)> say;
    std::function<void(core::Rank, const std::string& why)> kill;
    std::function<void(core::Rank, int code)> abort;
    /// The rank starts a group for a resize.
    std::function<bool(core::Rank)> spawns;
};

class GroupPmi {
  public:
    GroupPmi(const AgentContext& context, core::GroupId group, RankHands hands);

    /// Once the ranks are started. Before that nobody speaks.
    void open(pmi::WorldOptions options) { world_.emplace(std::move(options)); }
    [[nodiscard]] bool is_open() const { return world_.has_value(); }
    /// Null before open().
    [[nodiscard]] const pmi::RankState* state_of(core::Rank rank) const;

    void on_line(core::Rank rank, const std::string& line);
    /// Nobody waits for its answers any more. Comes before on_rank_ended().
    void forget_questions(core::Rank rank) { questions_.forget(rank); }
    void on_rank_ended(core::Rank rank);
    /// Nobody waits for it in a barrier any more.
    void on_rank_leaves(core::Rank rank);
    /// The MPI_Comm_spawn of a resize has returned.
    void on_spawned(core::Rank rank) { questions_.spawn_returned(rank); }

    void on(const wire::BarrierReleased& message);
    void on(const wire::OpenGate& message);
    void on(const wire::NameAnswer& message);
    void on(const wire::SpawnAnswer& message);
    /// What only a broker could answer is answered with an error.
    void set_brokerless(bool on);
    /// Where its ranks wait, and what they have published; what they have asked is given up.
    void tell_again();
    /// Nobody will open the gate of its world any more, if it is shut.
    void tell_gate_lost(core::Rank any) const;

  private:
    void carry_out(const pmi::Outbox& effects);
    void tell(const pmi::BarrierReached& barrier);
    void ask_name(pmi::WorldRank rank, wire::NameQuestion question, const std::string& service,
                  const std::string& port);
    void ask_spawn(const pmi::SpawnAsked& what);
    void fail_questions();
    void help_accepts_soon();

    const AgentContext& context_;
    core::GroupId group_;
    RankHands hands_;
    bool brokerless_ = false;
    std::optional<pmi::HostWorld> world_;
    std::deque<wire::BarrierReached> barriers_;  // the last two that were said
    bool left_barriers_ = false;                 // said
    RankQuestions questions_;
    asio::steady_timer help_timer_;
};

}  // namespace ductile::agent
