// Runs the jobs of a study once, on the real Slurm.
#pragma once

#include <optional>
#include <vector>

#include "cli/interrupt.hpp"
#include "cli/workload/configuration.hpp"
#include "cli/workload/submission.hpp"
#include "report/timeline.hpp"
#include "workload/records.hpp"
#include "workload/study.hpp"

namespace ductile::cli {

/// Returns when all jobs have ended. Throws what run_batch() throws.
[[nodiscard]] std::vector<workload::JobRecord> run_workload(const workload::Study& study,
                                                            const Configuration& configuration,
                                                            RunPlace place,
                                                            const Interrupt& interrupt);

/// What the event records of a job say. nullopt if there are none (the job never ran), or if they
/// cannot be read.
[[nodiscard]] std::optional<report::Timeline> history_of(const RunPlace& place,
                                                         workload::JobNumber number);

}  // namespace ductile::cli
