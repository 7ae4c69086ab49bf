// What a run of a workload leaves behind: one record for each job. All times are in seconds of the
// same clock, unscaled.
#pragma once

#include <string>
#include <vector>

#include "plan/methods.hpp"
#include "workload/jobs.hpp"

namespace ductile::workload {

/// From `time_s` on, the job holds `hosts` hosts.
struct HostsHeld {
    double time_s = 0;
    int hosts = 0;
};

/// A resize that was carried out.
struct ResizeRecord {
    plan::Method method = plan::Method::merge;
    int old_hosts = 0;
    int new_hosts = 0;
    double total_s = 0;             ///< from the decision until the program has its new size
    double spawn_s = 0;             ///< part of total_s: the start of new processes
    double redistribution_s = 0;    ///< part of total_s: data is moved
    double stall_s = 0;             ///< how long the program waited
    int overlapped_iterations = 0;  ///< iterations that the program did from decision to switch
};

struct JobRecord {
    std::string class_name;
    JobNumber number;
    double submit_s = 0;
    double start_s = 0;
    double end_s = 0;  ///< when the last host is given back
    /// In the order of time, from start_s on. The last entry is valid until end_s.
    std::vector<HostsHeld> hosts;
    std::vector<ResizeRecord> resizes;
    bool succeeded = true;  ///< all iterations are done, and the exit code is 0
};

}  // namespace ductile::workload
