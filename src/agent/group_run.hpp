// One group on this host, or its part here: what its life (GroupLife) asks for is done here.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/agent_context.hpp"
#include "agent/effect_queue.hpp"
#include "agent/group_life.hpp"
#include "agent/group_processes.hpp"
#include "agent/group_timers.hpp"
#include "agent/local_server.hpp"
#include "agent/rank_links.hpp"
#include "wire/agent_messages.hpp"
#include "wire/local_messages.hpp"

namespace ductile::agent {

/// The effects of a group's life. Two kinds: ServedGroup starts its ranks itself, LauncherGroup has
/// an mpiexec that starts them.
class GroupRun : public std::enable_shared_from_this<GroupRun> {
  public:
    GroupRun(const AgentContext& context, wire::StartRun what);
    virtual ~GroupRun() = default;
    GroupRun(const GroupRun&) = delete;
    GroupRun& operator=(const GroupRun&) = delete;

    /// Starts the ranks, or prepares for them where a rank of another group starts them. Throws
    /// Error if starting fails or a check before it does.
    virtual void start(const wire::AgentWelcome& welcome) = 0;
    /// First message of a rank. Throws Error when the rank does not exist or is taken.
    void adopt_rank(const std::shared_ptr<LocalPeer>& peer, const wire::RankHello& hello);
    /// The broker is lost, or is there again.
    virtual void set_brokerless(bool on);
    /// To a broker that has taken the job over: what the lost one may not have heard.
    virtual void tell_again() = 0;
    /// Kept for those who have not said hello yet.
    void send(const std::vector<Place>& places, const wire::ToRank& message);
    /// From now on standard input comes to this rank. False when it is not there.
    bool give_input(core::Rank rank);
    void signal_ranks(int number);
    /// Something has happened to the group: what follows from it is done.
    void on(const group_event::Any& event);

    [[nodiscard]] const wire::StartRun& order() const { return what_; }
    [[nodiscard]] const GroupLife& life() const { return life_; }
    [[nodiscard]] core::Rank rank_at(Place place) const {
        return core::Rank{what_.first_rank + static_cast<int>(place)};
    }
    /// Throws InputError, which names `who`, when the rank is not one of those here.
    [[nodiscard]] Place place_of(core::Rank rank, const char* who) const;
    /// Its processes that the agent is the parent of, and has not reaped.
    [[nodiscard]] virtual std::set<pid_t> children() const = 0;
    /// A child's wait status has been read (by the agent, which reaps all). False: it is another's.
    virtual bool child_reaped(pid_t pid, int status) = 0;

  protected:
    void rank_started(StartedRank rank);
    /// What the rank had said last on its own socket comes first.
    void rank_ended(Place place, const RankEnd& end);
    /// A rank's message; called before the broker is told.
    virtual void rank_says(Place /*place*/, const wire::FromRank& /*message*/) {}
    virtual void rank_leaves(Place /*place*/) {}
    /// Sent to the rank's process, if it runs.
    virtual void signal_rank(Place place, int number) = 0;
    virtual void kill_launcher() {}
    /// Nobody will say any more when the group's parts elsewhere have ended.
    virtual void release_companions() {}
    [[nodiscard]] virtual wire::RunEnded last_word(GroupCause cause) const = 0;

    const AgentContext& context_;
    const wire::StartRun what_;
    GroupProcesses processes_;
    std::chrono::duration<double> orphan_limit_{60};

  private:
    void hear(Place place, const wire::Message& encoded);
    void carry_out(const group_effect::Any& effect);

    GroupLife life_;
    RankLinks links_;
    GroupTimers timers_;
    EffectQueue<group_effect::Any> effects_;
    std::optional<StartedRank> starting_;  // for the services
};

/// Those of the range that are here.
[[nodiscard]] std::vector<Place> places_in(const GroupRun& group, const core::RankRange& range);
[[nodiscard]] std::vector<Place> all_places(const GroupRun& group);
[[nodiscard]] std::vector<Place> parked_places(const GroupRun& group);
[[nodiscard]] wire::GroupInventory inventory_of(const GroupRun& group);
/// MPI_Comm_spawn of a program that is not there may never return, so this is checked before the
/// call. Throws InputError.
void expect_program(const wire::AgentWelcome& welcome);

}  // namespace ductile::agent
