// How long a policy waits for hosts. Pure.
#pragma once

#include <chrono>

namespace ductile::policy {

/// When a policy lets a job grow, the job takes the hosts that are granted within this time. By
/// default Slurm waits for up to 3 s before it looks at a new job (batch_sched_delay).
inline constexpr std::chrono::seconds hosts_within{15};

}  // namespace ductile::policy
