// One group on this host, or its part here: its launcher run, its starters and its ranks.
#pragma once

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "agent/input.hpp"
#include "agent/launcher_run.hpp"
#include "agent/leftovers.hpp"
#include "agent/litter.hpp"
#include "agent/local_server.hpp"
#include "agent/output.hpp"
#include "agent/remote_parts.hpp"
#include "wire/agent_messages.hpp"
#include "wire/local_messages.hpp"

namespace ductile::agent {

/// What an agent lends its groups.
struct Surroundings {
    asio::io_context& io;
    Output& output;
    Input& input;
    std::string job, marker, socket_path, litter_path, starter;
    core::HostIndex host;
    std::function<void(const wire::FromAgent&)> tell;
    std::function<void(const std::string&)> log;
    /// Children that are not leftovers: launchers and stand-ins.
    std::function<std::set<pid_t>()> known_children;
    /// True when no other group runs here: then what carries no mark is this group's.
    std::function<bool(core::GroupId)> alone;
    std::function<void(core::GroupId)> on_ended;
};

class GroupRun : public std::enable_shared_from_this<GroupRun> {
  public:
    GroupRun(Surroundings& around, wire::StartRun what);

    /// Starts mpiexec; nothing on a further host of the group, nor where a rank of another group
    /// starts it: start_proxy follows. Throws Error when that fails, or could only fail.
    void start(const wire::AgentWelcome& welcome);
    /// Starts mpiexec's proxy, which is this part's launcher run. Throws Error when that fails, or
    /// is not due.
    void start_proxy(const wire::AgentWelcome& welcome, const std::vector<std::string>& argv);

    /// First messages of peers; each throws Error when the rank does not exist or is taken.
    void adopt_starter(const std::shared_ptr<LocalPeer>& peer, const wire::StarterHello& hello,
                       std::vector<wire::Fd> pipes);
    void adopt_rank(const std::shared_ptr<LocalPeer>& peer, const wire::RankHello& hello);
    /// mpiexec's companion: answered at once when it is refused, else when proxy_ended says so.
    void adopt_companion(const std::shared_ptr<LocalPeer>& peer, const wire::RemoteLaunch& what);
    void proxy_ended(const wire::ProxyPart& part, int code);
    /// The broker is gone (or there again): nobody says when the parts on other hosts have ended,
    /// and newcomers whose resize does not end by itself within the orphan limit are killed.
    void set_brokerless(bool on);

    /// To one rank, or to all when `rank` is -1; kept for those who have not said hello yet.
    void to_ranks(core::Rank rank, const wire::ToRank& message);
    void signal_ranks(int number);
    /// SIGKILL to all that belongs to the group, until nothing is left.
    void kill();
    /// SIGKILL to the ranks; the launcher run ends by itself then, unless it carries other groups.
    void kill_ranks();
    /// The broker wants it ended: its launcher run, too, unless that is part of another one.
    void end_as_told();
    /// kill(), or what of it the groups that it carries allow, if it has not ended by itself within
    /// this time.
    void kill_after(std::chrono::duration<double> delay);

    [[nodiscard]] core::GroupId id() const { return what_.group; }
    [[nodiscard]] pid_t launcher_pid() const { return launcher_ ? launcher_->pid() : 0; }
    void launcher_reaped(int status);
    [[nodiscard]] bool launcher_runs() const { return launcher_ && launcher_->running(); }
    [[nodiscard]] wire::GroupStock stock() const;
    /// Proxies elsewhere that mpiexec has asked for and that have not ended.
    [[nodiscard]] std::vector<wire::ProxyWanted> wanted() const { return remote_.wanted(); }
    [[nodiscard]] bool has_members() const { return member_ && !ended_; }
    /// RunEnded has been told.
    [[nodiscard]] bool ended() const { return ended_; }
    /// It has ended, and none of its ranks failed.
    [[nodiscard]] bool orderly() const;
    /// A rank has ended otherwise, and the broker had not dismissed the group.
    [[nodiscard]] bool has_failed() const { return failed_ && !dismissed_; }
    /// A member here was told to start a group, and has not said that MPI_Comm_spawn has returned.
    [[nodiscard]] bool spawns() const;
    /// The broker has told the group to leave, or to end: its failures are no news any more.
    void dismiss() { dismissed_ = true; }

  private:
    struct Slot {
        std::shared_ptr<LocalPeer> starter, rank;
        wire::Fd process;  // pidfd of the rank
        std::vector<std::string> waiting;
        bool noted = false;  // what it would leave behind is known
        bool hello = false, goodbye = false, started = false, ended = false;
        int code = 0, signal_number = 0;
        std::string why;
        std::set<core::GroupId> spawns;  // that it was told to start, until it has
        std::vector<int> signals;        // that came before the rank's process was known
        void signal(int number) const;   // to the rank, if it runs
    };
    static constexpr auto launcher_patience = std::chrono::seconds(2);
    Slot& slot(core::Rank rank, const char* who);
    void on_starter(core::Rank rank, const wire::Json& json);
    void on_rank(core::Rank rank, const wire::Json& json);
    void rank_ended(core::Rank rank, const wire::StarterEnded& end);
    void launch(const wire::AgentWelcome& welcome, std::vector<std::string> argv);
    [[nodiscard]] std::string folder_of_its_own() const;
    void look_at_program(const wire::AgentWelcome& welcome) const;
    void expect_ranks();
    [[nodiscard]] bool all_ranks_ended() const { return std::ranges::all_of(slots_, &Slot::ended); }
    /// They have ended, or, once no more starters are taken, have not come at all.
    [[nodiscard]] bool no_rank_left() const {
        return std::ranges::all_of(slots_, [this](const Slot& mine) {
            return mine.ended || (refusing_ && !mine.starter);
        });
    }
    /// Is this run a proxy that goes on without ranks of its own?
    [[nodiscard]] bool proxy_stays() const { return keeps_daemons_ && awaits_proxy() && !killing_; }
    [[nodiscard]] bool awaits_proxy() const { return what_.spawned || what_.first_rank > 0; }
    void consider_launcher();
    [[nodiscard]] Belonging all_of_it() const;
    [[nodiscard]] bool all_noted() const;
    /// Does the launcher run hold groups that go on?
    [[nodiscard]] bool is_needed() const { return left_alone_ || remote_.carries(); }
    void end(const std::vector<pid_t>& processes);
    void give_newcomers_time();
    void look();
    void look_after(std::chrono::milliseconds delay);
    void finish();

    Surroundings& around_;
    wire::StartRun what_;
    std::vector<Slot> slots_;
    std::shared_ptr<LauncherRun> launcher_;
    RemoteParts remote_;
    Litter litter_;
    asio::steady_timer look_timer_, kill_timer_, start_timer_, unjoined_timer_;
    std::vector<std::string> program_;  // for starters
    std::chrono::duration<double> orphan_limit_{60};
    std::chrono::steady_clock::time_point grace_end_;
    bool keeps_daemons_ = false;  // mpiexec ends its proxies, nobody else
    bool overdue_ = false;        // mpiexec was killed because it outlived its ranks
    bool late_ = false;           // it was killed because ranks did not come up
    bool brokerless_ = false;
    bool left_alone_ = false;  // the launcher run carried others when the broker was lost
    bool member_ = false;      // not a newcomer, or no more
    bool refusing_ = false;    // no more starters: ranks have been killed
    bool killing_ = false, ended_ = false, failed_ = false, dismissed_ = false;
};

}  // namespace ductile::agent
