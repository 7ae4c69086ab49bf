// Where a job's hosts come from, and how a program is started on a host. Adapters: local (this
// machine's cores), hosts (a host list and any remote shell), program (the user's own program;
// rms/program.hpp), slurm.
#pragma once

#include <asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "core/allocation.hpp"
#include "rms/agent_process.hpp"
#include "rms/cluster.hpp"
#include "rms/host_request.hpp"

namespace ductile::rms {

class ResourceManager : public Cluster {
  public:
    /// The hosts that the job has when this object is made: at the start of the job, or when a new
    /// broker takes the job over.
    [[nodiscard]] virtual const core::Allocation& allocation() const = 0;

    /// Starts `argv` (the companion "agent", by its absolute path) on a granted host, and writes
    /// `bootstrap_line` plus a newline to its standard input. Returns at once. If the agent comes
    /// up, it connects. If it ends, the event loop calls `on_exit` once, with the exit code (128 +
    /// signal; the remote shell's code if there is one) and the end of its stderr. Throws
    /// SystemError when the agent, or the remote shell for it, cannot be started. When the
    /// AgentProcess is destroyed, the agent continues, and `on_exit` is not called.
    virtual std::unique_ptr<AgentProcess> start_agent(asio::io_context& io, const std::string& host,
                                                      const std::vector<std::string>& argv,
                                                      const std::string& bootstrap_line,
                                                      AgentProcess::OnExit on_exit) = 0;

    /// Called once, before the first request. `on_answer` gets the answers to requests, and
    /// Revoked, Forgotten and Gone. Only the event loop calls `on_answer`, never a function of this
    /// object. `notify_user` gets messages for a person. Functions of this object call
    /// `notify_user`, too. Neither callback is called after this object is destroyed.
    virtual void attach(asio::io_context& io, OnHostAnswer on_answer, OnNotice notify_user) = 0;
    /// Asks for hosts. The answer is Granted or Denied. Granted may come in parts: then the answer
    /// ends with the last part, or with Denied, which denies only the missing hosts. After
    /// Forgotten, the job must ask again for the hosts that are still missing, with the same id.
    virtual void request(RequestId id, const HostRequest& request) = 0;
    /// Cancels a request. The answer is always Denied. If hosts are granted nevertheless, the
    /// caller must release them.
    virtual void cancel(RequestId id) = 0;
    /// Gives the host back. No process of the job may run there any more. To release a host twice
    /// does no harm.
    virtual void release(const std::string& host) = 0;
    /// The broker of this object has the job from now on. Before this call, the job may still have
    /// another broker. So the caller requests no hosts, and Slurm's sidecars are not cancelled.
    virtual void take_charge() {}
    /// The job ends: when this object is destroyed, it gives the remaining hosts back.
    virtual void end() {}
    /// Whether others can use a host that is given back. If not, a job keeps the hosts that it does
    /// not need at the moment.
    [[nodiscard]] virtual bool takes_back() const = 0;

    /// Where agents find the broker: numeric addresses and names, best first.
    [[nodiscard]] virtual std::vector<std::string> broker_addresses() const = 0;
    /// The address where the broker should listen: loopback if all agents are on this machine.
    [[nodiscard]] virtual std::string bind_address() const = 0;
    /// True when several hosts of the job are one machine (agents then share /proc and loopback).
    [[nodiscard]] virtual bool logical() const = 0;

    /// For people: "4 logical hosts of this machine".
    [[nodiscard]] virtual std::string describe() const = 0;
};

/// `hosts` logical hosts of this machine, named local0, local1, ... Throws InputError unless there
/// are 1 to 4096 hosts, each with at least one slot.
std::unique_ptr<ResourceManager> make_local(int hosts, int slots_per_host);

/// The hosts of a list. `remote_shell`: a template for fill_remote_shell() (rms/remote_shell.hpp).
/// `starts_here`: for a host that is this machine, the agent is started without the remote shell.
/// Throws as check_remote_shell() does.
std::unique_ptr<ResourceManager> make_hosts(core::Allocation allocation,
                                            std::vector<std::string> remote_shell,
                                            bool starts_here);

}  // namespace ductile::rms
