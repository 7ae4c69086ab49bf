// A workload study as one HTML page, and as rows for other programs. Pure.
#pragma once

#include <string>
#include <vector>

#include "workload/metrics.hpp"
#include "workload/study.hpp"

namespace ductile::report {

/// The complete runs of a configuration.
struct ConfigurationRuns {
    std::string name;  ///< "static", "merge-background"
    std::vector<std::vector<workload::JobRecord>> repetitions;
};

/// `runs`: the configurations with at least one run, in the order of the page. Times on the page
/// are those of the study (real seconds over `time_scale`), so that they can be compared with
/// dmr-slurm-mpdata. `library`: the text of plotly.min.js. Precondition: there is a run.
std::string render_workload(const workload::Study& study,
                            const std::vector<ConfigurationRuns>& runs, const std::string& library);

/// One row for each job of each run, in real seconds, under a line of names.
std::string workload_csv(const std::vector<ConfigurationRuns>& runs);

/// For a terminal: a line for each configuration.
std::string workload_summary(const workload::Study& study,
                             const std::vector<ConfigurationRuns>& runs);

}  // namespace ductile::report
