// Handles the PMI-1 requests of a group's ranks, and answers them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include "os/job_timer.hpp"

#include "agent/agent_context.hpp"
#include "agent/barrier_reports.hpp"
#include "agent/rank_questions.hpp"
#include "pmi/host_world.hpp"

namespace ductile::agent {

/// Actions on ranks, which GroupPmi calls.
struct RankActions {
    /// Sends a line to the rank. False: the rank does not read, and its queue is full.
    std::function<bool(core::Rank, const std::string& line)> send;
    std::function<void(core::Rank, const std::string& why)> kill;
    std::function<void(core::Rank, int code)> abort;
    /// Whether the rank is starting a group for a resize.
    std::function<bool(core::Rank)> spawns;
};

class GroupPmi {
  public:
    GroupPmi(const AgentContext& context, core::GroupId group, RankActions actions);

    /// Called just before the ranks are started. So no rank sends anything before this call.
    void open(pmi::WorldOptions options);
    [[nodiscard]] bool is_open() const { return world_.has_value(); }
    /// Null before open(), and for a rank of another host.
    [[nodiscard]] const pmi::RankState* state_of(core::Rank rank) const;

    void on_lines(core::Rank rank, const std::vector<std::string>& lines);
    /// Another MPI program of the rank begins (HostWorld::on_next_program()).
    void on_next_program(core::Rank rank) {
        if (world_) world_->on_next_program(pmi::WorldRank{rank.value});
    }
    /// The program of the rank has ended without `finalize` (HostWorld::on_program_gone()).
    void on_program_gone(core::Rank rank);
    /// The rank's open questions need no answer any more. Called before on_rank_ended().
    void forget_questions(core::Rank rank) { questions_.forget(rank); }
    void on_rank_ended(core::Rank rank);
    /// Barriers do not wait for this rank any more.
    void on_rank_leaves(core::Rank rank);
    /// The MPI_Comm_spawn of a resize has returned.
    void on_spawned(core::Rank rank) { questions_.spawn_returned(rank); }

    void on(const wire::BarrierReleased& message);
    void on(const wire::OpenGate& message);
    /// If the world is not open yet, keeps the message until open().
    void on(const wire::WorldMapping& message);
    void on(const wire::NameAnswer& message);
    void on(const wire::SpawnAnswer& message);
    /// While there is no broker, questions that only a broker can answer get an error.
    void set_brokerless(bool on);
    /// Tells a new broker which barriers the ranks have reached, and which names they have
    /// published. Open questions get an error.
    void tell_again();
    /// If the gate of the world (pmi/host_world.hpp) is shut, reports it as lost, so that the spawn
    /// of this world fails. `any`: any rank of the group.
    void tell_gate_lost(core::Rank any) const;

  private:
    void carry_out(const pmi::Outbox& effects);
    void ask_name(pmi::WorldRank rank, wire::NameQuestion question, const std::string& service,
                  const std::string& port);
    void ask_spawn(const pmi::SpawnAsked& what);
    void fail_questions();
    void help_accepts_soon();

    const AgentContext& context_;
    core::GroupId group_;
    RankActions actions_;
    bool brokerless_ = false;
    std::optional<pmi::HostWorld> world_;
    std::optional<pmi::MappingKnown> mapping_;  ///< arrived before the world was open
    BarrierReports barriers_;
    RankQuestions questions_;
    os::JobTimer help_timer_;
};

}  // namespace ductile::agent
