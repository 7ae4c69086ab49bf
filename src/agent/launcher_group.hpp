// A group whose ranks an mpiexec starts: for an MPI that cannot do without (Open MPI).
#pragma once

#include "agent/group_run.hpp"
#include "agent/launcher_run.hpp"
#include "agent/remote_parts.hpp"

namespace ductile::agent {

class LauncherGroup : public GroupRun {
  public:
    LauncherGroup(const AgentContext& context, wire::StartRun what);

    /// Starts mpiexec; nothing on a further host of the group, nor where a rank of another group
    /// starts it: start_proxy follows.
    void start(const wire::AgentWelcome& welcome) override;
    /// Starts mpiexec's proxy, which is this part's launcher run. Throws Error when that fails, or
    /// is not due.
    void start_proxy(const wire::AgentWelcome& welcome, const std::vector<std::string>& argv);
    [[nodiscard]] bool awaits_order() const { return !life().has_ended() && !launcher_; }

    /// First message of a shim; throws Error when its rank does not exist or is taken.
    void adopt_shim(const std::shared_ptr<LocalPeer>& peer, const wire::ShimHello& hello,
                    std::vector<wire::Fd> pipes);
    /// mpiexec's companion: answered at once when it is refused, else when proxy_ended says so.
    void adopt_companion(const std::shared_ptr<LocalPeer>& peer, const wire::RemoteLaunch& what);
    void proxy_ended(const wire::ProxyPart& part, int code);

    /// Daemons elsewhere that mpiexec has asked for and that have not ended.
    void tell_again() override;
    [[nodiscard]] std::set<pid_t> children() const override;
    bool child_reaped(pid_t pid, int status) override;

  private:
    /// What stands between mpiexec's proxy and a rank.
    struct Shim {
        std::shared_ptr<LocalPeer> peer;
        wire::Fd process;          // pidfd of the rank
        bool started = false;      // the process is known
        std::vector<int> signals;  // that came before
        void signal(int number) const;
    };

    void on_shim(Place place, const wire::Message& encoded);
    void launch(const wire::AgentWelcome& welcome, std::vector<std::string> argv);
    /// How it stands with mpiexec and with what it carries.
    void tell_life();
    [[nodiscard]] std::string folder_of_its_own() const;
    [[nodiscard]] bool launcher_runs() const { return launcher_ && launcher_->running(); }
    [[nodiscard]] bool awaits_proxy() const { return what_.spawned || what_.first_rank > 0; }

    void signal_rank(Place place, int number) override;
    void kill_launcher() override;
    void release_companions() override;
    [[nodiscard]] wire::RunEnded last_word(GroupCause cause) const override;

    std::vector<Shim> shims_;  // by place
    std::shared_ptr<LauncherRun> launcher_;
    RemoteParts remote_;
    std::vector<std::string> program_;  // for shims
    bool keeps_daemons_ = false;        // mpiexec ends its proxies, nobody else
    bool left_alone_ = false;           // the launcher run carried others when the broker was lost
};

}  // namespace ductile::agent
