// A group whose ranks an mpiexec starts, for an MPI that needs its own launcher (Open MPI).
#pragma once

#include "agent/group_run.hpp"
#include "agent/launcher_run.hpp"
#include "agent/remote_parts.hpp"

namespace ductile::agent {

class LauncherGroup : public GroupRun {
  public:
    LauncherGroup(const AgentContext& context, wire::StartRun what);

    /// Starts mpiexec on the first host of a group. Starts no process on the other hosts, or for a
    /// group that a rank of another group spawns: there start_proxy() later starts a proxy, that
    /// is, a daemon of mpiexec.
    void start(const wire::AgentWelcome& welcome) override;
    /// Starts the proxy that mpiexec has requested for this host. On this host the proxy takes the
    /// place of mpiexec as launcher_. Throws Error if the start fails, or if no proxy is awaited.
    void start_proxy(const wire::AgentWelcome& welcome, const std::vector<std::string>& argv);
    [[nodiscard]] bool awaits_order() const { return !life().has_ended() && !launcher_; }

    /// The first message of a shim. Throws Error if its rank does not exist or has a shim already,
    /// if the group takes no ranks any more, or if the message does not bring two pipes.
    void adopt_shim(const std::shared_ptr<LocalPeer>& peer, const wire::ShimHello& hello,
                    std::vector<wire::Fd> pipes);
    /// mpiexec requests a proxy through a companion process (remote_launch_main.cpp). The companion
    /// gets its answer immediately if the request is refused. Otherwise it gets the answer from
    /// proxy_ended() or release_companions().
    void adopt_companion(const std::shared_ptr<LocalPeer>& peer, const wire::RemoteLaunch& what);
    void proxy_ended(const wire::ProxyPart& part, int code);

    /// Reports the proxies that mpiexec has requested and that have not ended.
    void tell_again() override;
    [[nodiscard]] std::set<pid_t> children() const override;
    bool child_reaped(pid_t pid, int status) override;

  private:
    /// The shim between mpiexec's proxy and a rank.
    struct Shim {
        std::shared_ptr<LocalPeer> peer;
        wire::Fd self;             // pidfd of the shim
        wire::Fd process;          // pidfd of the rank
        bool started = false;      // the rank's process is known
        std::vector<int> signals;  // signals that came before the process was known
        void signal(int number) const;
    };

    void on_shim(Place place, const wire::Message& encoded);
    void launch(const wire::AgentWelcome& welcome, std::vector<std::string> argv);
    /// Reports the state of mpiexec and of its proxies to the life of the group.
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
    std::vector<std::string> program_;  // the program that the shims start
    bool keeps_daemons_ = false;        // only mpiexec ends its proxies
    bool left_alone_ = false;  // mpiexec ran other groups when its companions were released
};

}  // namespace ductile::agent
