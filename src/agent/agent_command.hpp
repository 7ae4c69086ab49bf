// The companion program `agent`: the job's small process on each host.
#pragma once

#include <string>

namespace ductile::agent {

/// Reads the bootstrap line from descriptor `input`, then runs until the job has ended on this
/// host. Returns the exit code. 0: a normal end, also by order of the broker or by a signal. 1: the
/// agent has ended everything because of a limit, a lost broker or an error. 2: a wrong bootstrap
/// (stderr gives the reason).
int run_agent(int input);

/// `agent --sweep JOB.HOST[.GENERATION]`: cleans up after an agent that was killed with SIGKILL.
/// Kills every process of this host whose environment has the marker of the agent, and removes the
/// agent's stale files and its directory. Without GENERATION: does this for every agent that JOB
/// had on HOST, but leaves directories that are younger than 60 s. Prints the number of killed
/// processes, and returns 0.
int sweep(const std::string& marker);

}  // namespace ductile::agent
