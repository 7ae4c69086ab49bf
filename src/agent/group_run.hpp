// One group on this host, or its part here: its ranks, whoever starts them.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/input.hpp"
#include "agent/leftovers.hpp"
#include "agent/local_server.hpp"
#include "agent/output.hpp"
#include "agent/stale_files.hpp"
#include "wire/agent_messages.hpp"
#include "wire/local_messages.hpp"

namespace ductile::agent {

/// What an agent lends its groups.
struct AgentContext {
    asio::io_context& io;
    Output& output;
    Input& input;
    std::string job, marker, socket_path, stale_files_path, starter;
    core::HostIndex host;
    std::function<void(const wire::FromAgent&)> tell;
    std::function<void(const std::string&)> log;
    /// Children that are not leftovers: ranks, launchers and stand-ins.
    std::function<std::set<pid_t>()> known_children;
    /// True when no other group runs here: then what carries no mark is this group's.
    std::function<bool(core::GroupId)> alone;
    std::function<void(core::GroupId)> on_ended;
    /// A rank accepts in vain on this port: a stand-in connects to it.
    std::function<void(const std::string& port)> help_accept;
};

/// The life of a group's ranks on this host. Two kinds: ServedGroup starts its ranks itself,
/// LauncherGroup has an mpiexec that starts them.
class GroupRun : public std::enable_shared_from_this<GroupRun> {
  public:
    GroupRun(AgentContext& around, wire::StartRun what);
    virtual ~GroupRun() = default;
    GroupRun(const GroupRun&) = delete;
    GroupRun& operator=(const GroupRun&) = delete;

    /// Starts the ranks, or prepares for them where a rank of another group starts them. Throws
    /// Error when that fails, or could only fail.
    virtual void start(const wire::AgentWelcome& welcome) = 0;

    /// First message of a rank; throws Error when the rank does not exist or is taken.
    void adopt_rank(const std::shared_ptr<LocalPeer>& peer, const wire::RankHello& hello);
    /// The broker is gone (or there again): newcomers whose resize does not end by itself within
    /// the orphan limit are killed.
    virtual void set_brokerless(bool on);
    /// To a broker that has taken the job over: what the lost one may not have heard.
    virtual void tell_again() = 0;

    /// To all of its ranks here; kept for those who have not said hello yet.
    void to_all(const wire::ToRank& message);
    /// To those of the range that are here.
    void to_ranks(const core::RankRange& range, const wire::ToRank& message);
    void to_parked(const wire::ToRank& message);
    /// These have left: their failures are no news any more, and who has not ended in time is
    /// killed.
    void ranks_leave(const core::RankRange& range, std::chrono::duration<double> within);
    /// From now on standard input comes to this rank. False when it is not there.
    bool give_input(core::Rank rank);
    virtual void signal_ranks(int number) = 0;
    /// SIGKILL to all that belongs to the group, until nothing is left.
    virtual void kill() = 0;
    /// The broker wants it ended.
    virtual void end_as_told() = 0;
    /// Ended, as far as other groups allow, if it has not ended by itself within this time.
    void kill_after(std::chrono::duration<double> delay);

    [[nodiscard]] core::GroupId id() const { return what_.group; }
    /// Its processes that the agent is the parent of, and has not reaped.
    [[nodiscard]] virtual std::set<pid_t> children() const = 0;
    /// A child's wait status has been read (by the agent, which reaps all). False: it is another's.
    virtual bool child_reaped(pid_t pid, int status) = 0;
    [[nodiscard]] wire::GroupStock stock() const;
    [[nodiscard]] bool has_members() const { return member_ && !ended_; }
    /// RunEnded has been told.
    [[nodiscard]] bool ended() const { return ended_; }
    /// It has ended, and none of its ranks failed.
    [[nodiscard]] bool orderly() const { return ended_ && !has_failed(); }
    /// A rank has ended otherwise, and the broker had not dismissed it.
    [[nodiscard]] bool has_failed() const;
    /// A rank is here that is not parked, and has neither left nor ended its Job nor itself.
    [[nodiscard]] bool has_active() const;
    /// A member here was told to start a group, and has not said that MPI_Comm_spawn has returned.
    [[nodiscard]] bool spawns() const;
    /// A rank was told to start groups, and has not said of all of them that they are there.
    [[nodiscard]] bool spawns(core::Rank rank) const;
    /// The broker has told the group to end: its failures are no news any more.
    void dismiss();

  protected:
    using Clock = std::chrono::steady_clock;

    /// A rank of the group here.
    struct Slot {
        std::shared_ptr<LocalPeer> rank;
        std::vector<std::string> waiting;
        bool noted = false;  // what it would leave behind is known
        bool hello = false, goodbye = false, started = false, ended = false;
        bool parked = false;
        bool failed = false;     // it has ended otherwise than a rank should
        bool dismissed = false;  // it has been told to leave, or to end
        std::optional<Clock::time_point> leave_before;
        int code = 0, signal_number = 0;
        std::string why;
        std::set<core::GroupId> spawns;  // that it was told to start, until it has
    };
    /// How a rank's process has ended.
    struct RankEnd {
        int code = 0;
        int signal = 0;
        std::string why;
    };

    Slot& slot(core::Rank rank, const char* who);
    [[nodiscard]] core::Rank rank_at(std::size_t index) const {
        return core::Rank{what_.first_rank + static_cast<int>(index)};
    }
    /// Once for each rank. What the rank said last on its own socket comes first.
    void rank_ended(core::Rank rank, const RankEnd& end);
    /// A rank says that MPI runs in it.
    virtual void on_mpi_runs(core::Rank rank);
    /// The MPI_Comm_spawn of a resize has returned.
    virtual void on_spawned(core::Rank /*rank*/) {}
    /// A rank has been told to leave.
    virtual void on_rank_leaves(core::Rank /*rank*/) {}
    /// After rank_ended().
    virtual void consider_end() = 0;
    virtual void on_kill_due() = 0;
    /// Sent to the rank's process, if it runs.
    virtual void signal_rank(core::Rank rank, int number) = 0;

    /// MPI_Comm_spawn of a program that is not there may never return: this is known before it is
    /// called. Throws InputError.
    void look_at_program(const wire::AgentWelcome& welcome) const;
    /// The group is killed when not all its ranks have been started within a minute.
    void expect_ranks();
    [[nodiscard]] virtual bool all_have_come() const = 0;
    /// The marks by which processes of the group are known, in the environment of all of them.
    [[nodiscard]] std::vector<std::string> marks() const;
    [[nodiscard]] bool all_ranks_ended() const { return std::ranges::all_of(slots_, &Slot::ended); }
    [[nodiscard]] Belonging all_of_it() const;
    [[nodiscard]] bool all_noted() const;
    void end(const std::vector<pid_t>& processes);

    /// Is anything of the group left? It has a grace, then it is killed.
    void look();
    /// May the group be over, but for what is left behind?
    [[nodiscard]] virtual bool may_be_over() const = 0;
    /// What else than all_of_it() belongs to it, at its end.
    virtual void complete(Belonging& whose) const = 0;
    /// Is a rank to come, or not reported yet?
    [[nodiscard]] virtual bool awaits_rank() const = 0;
    [[nodiscard]] virtual wire::RunEnded last_word() const = 0;
    /// Nothing of it is left: lets go whoever waits for it.
    virtual void let_go() {}
    void give_grace();
    void finish();

    AgentContext& around_;
    wire::StartRun what_;
    std::vector<Slot> slots_;
    StaleFiles stale_files_;
    asio::steady_timer kill_timer_, start_timer_;
    std::chrono::duration<double> orphan_limit_{60};
    bool late_ = false;  // it was killed because ranks did not come up
    bool brokerless_ = false;
    bool killing_ = false, ended_ = false;

  private:
    void on_rank(core::Rank rank, const wire::Json& json);
    void give_newcomers_time();
    void send(Slot& to, const wire::ToRank& message, const std::string& frame);
    void watch_leavers();
    void on_leave_due();
    void look_after(std::chrono::milliseconds delay);

    asio::steady_timer look_timer_, unjoined_timer_, leave_timer_;
    Clock::time_point grace_end_;
    bool member_ = false;  // not a newcomer, or no more
};

}  // namespace ductile::agent
