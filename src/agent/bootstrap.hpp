// What an agent reads from its standard input: one line of JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/partial_lines.hpp"
#include "wire/agent_messages.hpp"
#include "wire/psk.hpp"

namespace ductile::agent {

struct Bootstrap {
    wire::Identity identity;  ///< job, host, generation
    std::string host_name;    ///< the broker's name for this host
    wire::Secret secret{};
    std::vector<std::string> addresses;  ///< of the broker
    int port = 0;
    bool logical = false;        ///< several agents of the job share this machine
    core::PartialLines partial;  ///< of the ranks' output
    std::optional<wire::AgentWelcome> welcome;
    std::vector<wire::StartRun> runs;  ///< the agent starts these before it reaches the broker

    /// "JOB.HOST.GENERATION": DUCTILE_AGENT has this value in all processes of this agent.
    [[nodiscard]] std::string marker() const;
};

/// True for 1 to 48 letters, digits, '-' or '_': a directory gets this name.
[[nodiscard]] bool is_job_name(const std::string& name);

/// Throws InputError. The message names the field that is wrong, and never contains the secret.
Bootstrap parse_bootstrap(std::string_view line);

/// The first line of a descriptor, without its newline. Throws InputError if the line is longer
/// than 64 MiB, if there is none, or if the descriptor cannot be read.
std::string read_line(int fd);

}  // namespace ductile::agent
