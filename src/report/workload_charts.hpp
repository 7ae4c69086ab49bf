// A workload study as charts: plotly figures, as JSON. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "report/workload_page.hpp"

namespace ductile::report {

/// The numbers of the runs of a configuration. Times are those of the study (workload_page.hpp).
struct ConfigurationNumbers {
    std::string name;
    std::vector<workload::RunNumbers> runs;
    workload::RunNumbers median;
};

/// Figure 4 of dmr-slurm-mpdata.
nlohmann::json makespan_chart(const std::vector<ConfigurationNumbers>& numbers);
/// Figure 6, of the first run of each configuration.
nlohmann::json utilisation_chart(const workload::Study& study,
                                 const std::vector<ConfigurationRuns>& runs);
/// Figures 5 and 8. `part` chooses a time of a job.
nlohmann::json job_times_chart(const std::vector<ConfigurationNumbers>& numbers,
                               double workload::JobTimes::*part);
/// Figures 7 and 9.
nlohmann::json resize_times_chart(const std::vector<ConfigurationNumbers>& numbers);

}  // namespace ductile::report
