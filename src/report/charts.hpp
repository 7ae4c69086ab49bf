// A timeline as charts: plotly figures, as JSON. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "report/timeline.hpp"

namespace ductile::report {

/// A host's time in the job.
struct HostStay {
    std::string host;
    double starting_s = 0;  ///< when its ranks began to be started
    double from_s = 0;      ///< when they were members
    double to_s = 0;        ///< when the host was free again
};

/// The stays of all hosts, in the order of their beginnings.
std::vector<HostStay> host_stays(const Timeline& timeline);

/// Seconds of one iteration around a moment.
struct IterationTime {
    double at_s = 0;
    double seconds = 0;
    int ranks = 0;
};

/// Between each two records of the pace: 40 points in 0.5 s give 12.5 ms, half way. Pairs without
/// progress are left out.
std::vector<IterationTime> iteration_times(const Timeline& timeline);

/// Each returns {"data": [...], "layout": {...}}; colours of text and background are the page's.
nlohmann::json ranks_chart(const Timeline& timeline);
nlohmann::json hosts_chart(const Timeline& timeline);
nlohmann::json iteration_chart(const Timeline& timeline);
nlohmann::json phases_chart(const Timeline& timeline);
nlohmann::json waits_chart(const Timeline& timeline);

}  // namespace ductile::report
