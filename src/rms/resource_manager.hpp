// Where a job's hosts come from and how a program is started on one. Adapters: local (this
// machine's cores), hosts (a host list and any remote shell), program (a program of the user's that
// is asked for hosts; rms/program.hpp).
#pragma once

#include <asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "core/allocation.hpp"
#include "rms/agent_process.hpp"
#include "rms/host_request.hpp"

namespace ductile::rms {

class ResourceManager {
  public:
    virtual ~ResourceManager() = default;

    /// The hosts that the job has when this begins: from the start, or when its broker takes over.
    [[nodiscard]] virtual const core::Allocation& allocation() const = 0;

    /// Starts `argv` (the companion "agent", by its absolute path) on a host that was granted, and
    /// writes `bootstrap_line` plus a newline to its standard input. Returns at once; whether the
    /// agent came up shows by its connection, and that it did not by `on_exit`, called once from
    /// the event loop with the exit code (128 + signal; of the remote shell where there is one) and
    /// the last of what it wrote on stderr. Throws SystemError when nothing could be started here.
    /// The agent lives on when the AgentProcess is destroyed; `on_exit` is not called then.
    virtual std::unique_ptr<AgentProcess> start_agent(asio::io_context& io, const std::string& host,
                                                      const std::vector<std::string>& argv,
                                                      const std::string& bootstrap_line,
                                                      AgentProcess::OnExit on_exit) = 0;

    /// Answers to requests, and hosts that are taken back, are told to `on_answer` from the event
    /// loop, never from within a call of this object. To be called once, before the first request;
    /// nothing is told when this object is gone.
    /// `notify_user`: for what a person is to know of it; may be called at any time.
    virtual void attach(asio::io_context& io, OnHostAnswer on_answer, OnNotice notify_user) = 0;
    /// Asks for hosts. Answered by Granted, once or in parts, until one is the last, or by Denied.
    /// An id that is asked for again, for what is missing, is the same request.
    virtual void request(RequestId id, const HostRequest& request) = 0;
    /// Answered by Denied, whatever has become of the request. Hosts that are granted nevertheless
    /// are to be released.
    virtual void cancel(RequestId id) = 0;
    /// The host is given back: nothing of the job runs there any more. A host that is not the job's
    /// (any more) is passed over.
    virtual void release(const std::string& host) = 0;
    /// Whether a host that is given back is of use to anybody else. If not, a job keeps the hosts
    /// that it does not need at the moment.
    [[nodiscard]] virtual bool takes_back() const = 0;

    /// Where agents find the broker: numeric addresses and names, best first.
    [[nodiscard]] virtual std::vector<std::string> broker_addresses() const = 0;
    /// The address the broker should listen on: loopback where all agents are on this machine.
    [[nodiscard]] virtual std::string bind_address() const = 0;
    /// True when several hosts of the job are one machine (agents then share /proc and loopback).
    [[nodiscard]] virtual bool logical() const = 0;

    /// For people: "4 logical hosts of this machine, 1 rank each".
    [[nodiscard]] virtual std::string describe() const = 0;
};

/// `hosts` logical hosts of this machine, named local0, local1, ...
std::unique_ptr<ResourceManager> make_local(int hosts, int slots_per_host);

/// The hosts of a list. `remote_shell` is an argument vector in which {host} stands for the host,
/// {argv} (an item of its own) for the command's arguments and {command} for all of them as one
/// shell-quoted string. Throws InputError when it names neither {argv} nor {command}.
std::unique_ptr<ResourceManager> make_hosts(core::Allocation allocation,
                                            std::vector<std::string> remote_shell);

}  // namespace ductile::rms
