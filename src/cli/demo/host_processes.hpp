// Which processes of the job are on a host.
#pragma once

#include <string>
#include <vector>

#include "cli/demo/stage.hpp"

namespace ductile::cli::demo {

/// Virtual hosts: all processes in the host's own /proc but its init and sessions, whoever started
/// them. Logical hosts: the processes of this machine that carry the job's and the host's marks in
/// their environment (launcher, proxy, shims, ranks). Their command lines.
///
/// `host` is a name from the event records: "node03", "local2". Throws SystemError when the host
/// does not tell.
std::vector<std::string> host_processes(const Stage& stage, const std::string& job,
                                        const std::string& host);

/// On logical hosts: the agents of the job, one for each host in it; `events` is the file of event
/// records that names its broker. An agent carries no mark of its host, so they are counted.
int count_agents(const std::string& events);

}  // namespace ductile::cli::demo
