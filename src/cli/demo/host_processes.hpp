// Finds the processes of the job on a host.
#pragma once

#include <string>
#include <vector>

#include "cli/demo/stage.hpp"

namespace ductile::cli::demo {

/// The command lines of these processes. On a virtual host: all processes in the host's own /proc
/// except its init and sessions, even if they are not of the job. On a logical host: the processes
/// of this machine that have the marks of the job and of the host in their environment. These are
/// the ranks, and under Open MPI the launcher, proxies and shims, too.
///
/// `host` is a name from the event records: "node03", "local2". Throws SystemError when the host
/// does not answer.
std::vector<std::string> host_processes(const Stage& stage, const std::string& job,
                                        const std::string& host);

/// Counts the job's agents on logical hosts; each host has one. Finds the broker by `events`, the
/// file of event records in its command line. The agents are only counted, because an agent has no
/// mark of its host.
int count_agents(const std::string& events);

}  // namespace ductile::cli::demo
