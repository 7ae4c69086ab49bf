// What an agent offers to its groups.
#pragma once

#include <sys/types.h>

#include <asio/io_context.hpp>
#include <functional>
#include <set>
#include <string>

#include "agent/host_service.hpp"
#include "wire/agent_messages.hpp"

namespace ductile::agent {

class Input;
class PmiPort;

/// The names of an agent. All processes that the agent starts find the marker in their environment.
/// Ranks and launchers also find job, host and socket_path, and launchers also find shim. Processes
/// that the program itself starts by MPI_Comm_spawn find no socket_path.
struct AgentNames {
    std::string job, marker, socket_path;
    std::string shim;  ///< the program between a launcher and a rank
    core::HostIndex host;
};

struct AgentContext {
    asio::io_context& io;
    Input& input;
    PmiPort& pmi_port;
    HostServices services;
    AgentNames self;
    std::function<void(const wire::FromAgent&)> tell;
    std::function<void(const std::string&)> log;
    /// Children of the agent that are not stray: ranks, launchers and abort connectors.
    std::function<std::set<pid_t>()> known_children;
    /// True if no other group runs here. Then processes without a mark belong to this group.
    std::function<bool(core::GroupId)> alone;
    std::function<void(core::GroupId)> on_ended;
    /// Starts an abort connector for this port, where a rank accepts in vain.
    std::function<void(const std::string& port)> help_accept;
};

}  // namespace ductile::agent
