// One group on this host, or its part here: carries out the effects of its life (GroupLife).
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

/// Carries out the effects of a group's life. There are two kinds: ServedGroup starts its ranks
/// itself, and LauncherGroup has an mpiexec that starts them.
class GroupRun : public std::enable_shared_from_this<GroupRun> {
  public:
    GroupRun(const AgentContext& context, wire::StartRun what);
    virtual ~GroupRun() = default;
    GroupRun(const GroupRun&) = delete;
    GroupRun& operator=(const GroupRun&) = delete;

    /// Starts the ranks. If a rank of another group or an mpiexec on another host starts them, only
    /// prepares for this. Throws Error if a check or the start of a launcher fails. If a rank
    /// cannot be started, ServedGroup does not throw: it reports that the rank has ended with code
    /// 127.
    virtual void start(const wire::AgentWelcome& welcome) = 0;
    /// The first message of a rank. Throws InputError if the rank does not exist, or has ended. A
    /// program that takes no part in the job is told so: one that a rank's program has started, and
    /// one that runs after a program with a Job.
    void adopt_rank(const std::shared_ptr<LocalPeer>& peer, const wire::RankHello& hello);
    /// `on`: whether the broker is gone (BrokerState::gone).
    virtual void set_brokerless(bool on);
    /// Tells a broker that has taken the job over what the lost broker may not have received.
    virtual void tell_again() = 0;
    /// Sends a message to ranks. A rank that has not said hello gets it after its hello.
    void send(const std::vector<Place>& places, const wire::ToRank& message);
    /// Gives standard input to this rank. Returns false if the rank is not connected or has ended.
    bool give_input(core::Rank rank);
    void signal_ranks(const std::vector<Place>& places, int number);
    void signal_all(int number) { processes_.signal(children(), number); }
    /// Handles an event of the group, and carries out its effects.
    void on(const group_event::Any& event);

    [[nodiscard]] const wire::StartRun& order() const { return what_; }
    [[nodiscard]] const GroupLife& life() const { return life_; }
    [[nodiscard]] core::Rank rank_at(Place place) const {
        return place < what_.numbers.size()
                   ? what_.numbers[place]
                   : core::Rank{what_.first_rank + static_cast<int>(place)};
    }
    /// The number of the rank on this host.
    [[nodiscard]] int local_rank_at(Place place) const {
        return place < what_.local_ranks.size() ? what_.local_ranks[place].value
                                                : static_cast<int>(place);
    }
    /// Throws InputError, which names `who`, if the rank is not on this host.
    [[nodiscard]] Place place_of(core::Rank rank, const char* who) const;
    /// The agent's own children in the group that the agent has not reaped.
    [[nodiscard]] virtual std::set<pid_t> children() const = 0;
    /// The agent, which reaps all children, has read a wait status. False: the group has no such
    /// child.
    virtual bool child_reaped(pid_t pid, int status) = 0;

  protected:
    void rank_started(StartedRank rank);
    /// First handles the messages that the rank has sent to the agent before its end.
    void rank_ended(Place place, const RankEnd& end);
    /// Handles the messages that the rank has sent to the agent.
    void drain_link(Place place) { links_.drain(place); }
    /// Called for a message of a rank, before the broker gets it.
    virtual void on_rank_message(Place /*place*/, const wire::FromRank& /*message*/) {}
    virtual void rank_leaves(Place /*place*/) {}
    /// Whether this process is the rank's own program, and not one that this program has started.
    [[nodiscard]] virtual bool is_own_program(Place /*place*/, pid_t /*process*/) const {
        return true;
    }
    /// Sends a signal to the process group of the rank, if it runs: the rank may be a shell script.
    /// SIGKILL goes to the rank alone; its processes are killed when it has ended.
    virtual void signal_rank(Place place, int number) = 0;
    virtual void kill_launcher() {}
    /// Lets the companions end, without waiting for the end of the group's parts on other hosts.
    virtual void release_companions() {}
    [[nodiscard]] virtual wire::RunEnded last_word(GroupCause cause) const = 0;

    const AgentContext& context_;
    const wire::StartRun what_;
    GroupProcesses processes_;
    std::chrono::duration<double> orphan_limit_{60};

  private:
    void on_message(Place place, const wire::Message& encoded);
    void send_away(const std::shared_ptr<LocalPeer>& peer, core::Rank rank);
    void carry_out(const group_effect::Any& effect);

    GroupLife life_;
    RankLinks links_;
    GroupTimers timers_;
    EffectQueue<group_effect::Any> effects_;
    bool has_told_of_outsiders_ = false;
    std::optional<StartedRank> starting_;  // the rank that ServeStart passes to the services
};

/// The places of those ranks of the range that are on this host.
[[nodiscard]] std::vector<Place> places_in(const GroupRun& group, const core::RankRange& range);
[[nodiscard]] std::vector<Place> all_places(const GroupRun& group);
[[nodiscard]] std::vector<Place> parked_places(const GroupRun& group);
[[nodiscard]] wire::GroupInventory inventory_of(const GroupRun& group);
/// Checks that the program can be executed: MPI_Comm_spawn of a missing program may never return.
/// Called before the spawn. Throws InputError if the program, or its directory, cannot be used.
void expect_program(const wire::AgentWelcome& welcome);

}  // namespace ductile::agent
