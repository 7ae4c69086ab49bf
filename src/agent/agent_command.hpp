// The job's small process on each host: the companion `agent`.
#pragma once

#include <string>

namespace ductile::agent {

/// Reads the bootstrap line from descriptor `input`, then runs until the job has ended here.
/// Returns the exit code: 0 ended in order, 1 ended by a limit or a lost broker, 2 bad bootstrap
/// (said on stderr, with the place).
int run_agent(int input);

/// `agent --sweep JOB.HOST[.GENERATION]`: kills every process of this host whose
/// environment holds that agent's marker (for the case that an agent was killed with SIGKILL).
/// Prints how many; returns 0.
int sweep(const std::string& marker);

}  // namespace ductile::agent
