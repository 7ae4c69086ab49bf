// What an agent is told on its standard input: one line of JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/agent_messages.hpp"
#include "wire/psk.hpp"

namespace ductile::agent {

struct Bootstrap {
    wire::Identity identity;  ///< job, host, generation
    std::string host_name;    ///< as the broker calls it
    wire::Secret secret{};
    std::vector<std::string> addresses;  ///< of the broker
    int port = 0;
    bool logical = false;  ///< several agents of the job share this machine
    std::optional<wire::AgentWelcome> welcome;
    std::vector<wire::StartRun> runs;  ///< started at once, before the broker is reached

    /// "JOB.HOST.GENERATION": the value of DUCTILE_AGENT in all that this agent starts.
    [[nodiscard]] std::string marker() const;
};

/// 1 to 48 letters, digits, '-' or '_': the name becomes a directory's.
[[nodiscard]] bool is_job_name(const std::string& name);

/// Throws InputError that names the field; never repeats the secret.
Bootstrap parse_bootstrap(std::string_view line);

/// The first line of a descriptor, without its newline. Throws InputError when it is longer than 64
/// MiB or when nothing comes.
std::string read_line(int fd);

}  // namespace ductile::agent
