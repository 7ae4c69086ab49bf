// A group whose ranks an mpiexec starts: for an MPI that cannot do without (Open MPI).
#pragma once

#include "agent/group_run.hpp"
#include "agent/launcher_run.hpp"
#include "agent/remote_parts.hpp"

namespace ductile::agent {

class LauncherGroup : public GroupRun {
  public:
    LauncherGroup(AgentContext& around, wire::StartRun what);

    /// Starts mpiexec; nothing on a further host of the group, nor where a rank of another group
    /// starts it: start_proxy follows.
    void start(const wire::AgentWelcome& welcome) override;
    /// Starts mpiexec's proxy, which is this part's launcher run. Throws Error when that fails, or
    /// is not due.
    void start_proxy(const wire::AgentWelcome& welcome, const std::vector<std::string>& argv);
    [[nodiscard]] bool awaits_order() const { return !ended_ && !launcher_; }

    /// First message of a starter; throws Error when its rank does not exist or is taken.
    void adopt_starter(const std::shared_ptr<LocalPeer>& peer, const wire::StarterHello& hello,
                       std::vector<wire::Fd> pipes);
    /// mpiexec's companion: answered at once when it is refused, else when proxy_ended says so.
    void adopt_companion(const std::shared_ptr<LocalPeer>& peer, const wire::RemoteLaunch& what);
    void proxy_ended(const wire::ProxyPart& part, int code);

    /// Nobody says any more when the parts on other hosts have ended.
    void set_brokerless(bool on) override;
    /// Proxies elsewhere that mpiexec has asked for and that have not ended.
    void tell_again() override;
    void signal_ranks(int number) override;
    void kill() override;
    /// Its launcher run, too, unless that is part of another one.
    void end_as_told() override;
    [[nodiscard]] std::set<pid_t> children() const override;
    bool child_reaped(pid_t pid, int status) override;

  private:
    /// What stands between mpiexec's proxy and a rank.
    struct Starter {
        std::shared_ptr<LocalPeer> peer;
        wire::Fd process;          // pidfd of the rank
        std::vector<int> signals;  // that came before the rank's process was known
        void signal(int number) const;
    };
    static constexpr auto launcher_patience = std::chrono::seconds(2);

    Starter& starter(core::Rank rank) {
        return starters_[static_cast<std::size_t>(rank.value - what_.first_rank)];
    }
    void on_starter(core::Rank rank, const wire::Json& json);
    void launch(const wire::AgentWelcome& welcome, std::vector<std::string> argv);
    [[nodiscard]] std::string folder_of_its_own() const;
    [[nodiscard]] bool launcher_runs() const { return launcher_ && launcher_->running(); }
    /// Of the ranks: the launcher run ends by itself then, unless it carries other groups.
    void kill_ranks();
    /// They have ended, or, once no more starters are taken, have not come at all.
    [[nodiscard]] bool no_rank_left() const;
    /// Is this run a proxy that goes on without ranks of its own?
    [[nodiscard]] bool proxy_stays() const { return keeps_daemons_ && awaits_proxy() && !killing_; }
    [[nodiscard]] bool awaits_proxy() const { return what_.spawned || what_.first_rank > 0; }
    /// Does the launcher run hold groups that go on?
    [[nodiscard]] bool is_needed() const { return left_alone_ || remote_.carries(); }

    void consider_end() override;
    void on_kill_due() override;
    void signal_rank(core::Rank rank, int number) override { starter(rank).signal(number); }
    [[nodiscard]] bool all_have_come() const override;
    [[nodiscard]] bool may_be_over() const override;
    void complete(Belonging& whose) const override;
    [[nodiscard]] bool awaits_rank() const override;
    [[nodiscard]] wire::RunEnded last_word() const override;
    void let_go() override { remote_.release(); }

    std::vector<Starter> starters_;  // as slots_
    std::shared_ptr<LauncherRun> launcher_;
    RemoteParts remote_;
    std::vector<std::string> program_;  // for starters
    bool keeps_daemons_ = false;        // mpiexec ends its proxies, nobody else
    bool overdue_ = false;              // mpiexec was killed because it outlived its ranks
    bool left_alone_ = false;           // the launcher run carried others when the broker was lost
    bool refusing_ = false;             // no more starters: ranks have been killed
};

}  // namespace ductile::agent
