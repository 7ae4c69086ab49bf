// What an agent lends its groups.
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

/// By which an agent is known to what it starts.
struct AgentNames {
    std::string job, marker, socket_path;
    std::string shim;  ///< the program that stands between a launcher and a rank
    core::HostIndex host;
};

struct AgentContext {
    asio::io_context& io;
    Input& input;
    HostServices services;
    AgentNames self;
    std::function<void(const wire::FromAgent&)> tell;
    std::function<void(const std::string&)> log;
    /// Children that are not stray: ranks, launchers and abort connectors.
    std::function<std::set<pid_t>()> known_children;
    /// True when no other group runs here: then what carries no mark is this group's.
    std::function<bool(core::GroupId)> alone;
    std::function<void(core::GroupId)> on_ended;
    /// A rank accepts in vain on this port: an abort connector connects to it.
    std::function<void(const std::string& port)> help_accept;
};

}  // namespace ductile::agent
