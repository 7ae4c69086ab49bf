// A timeline as charts: plotly figures, as JSON. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "report/timeline.hpp"

namespace ductile::report {

/// A host's time in the job.
struct HostStay {
    std::string host;
    double starting_s = 0;  ///< when the start of its ranks began
    double from_s = 0;      ///< when its ranks became members
    double to_s = 0;        ///< when the host was free again
};

/// The stays of all hosts, in the order in which they begin. Empty if there is no resize, because
/// then no record names the hosts.
std::vector<HostStay> host_stays(const Timeline& timeline);

/// The duration of one iteration at about this moment.
struct IterationTime {
    double at_s = 0;
    double seconds = 0;
    int ranks = 0;
};

/// One value for each pair of successive records of the pace: 40 points in 0.5 s give 12.5 ms, half
/// way between the records. Pairs without progress are left out.
std::vector<IterationTime> iteration_times(const Timeline& timeline);

/// Each returns {"data": [...], "layout": {...}}. The page sets the colours of text and background.
nlohmann::json ranks_chart(const Timeline& timeline);
nlohmann::json hosts_chart(const Timeline& timeline);
nlohmann::json iteration_chart(const Timeline& timeline);
nlohmann::json phases_chart(const Timeline& timeline);
nlohmann::json waits_chart(const Timeline& timeline);

}  // namespace ductile::report
