// How well a program uses more hosts, from the times of its iterations (dmr-slurm-mpdata, section
// 5.1). Pure.
#pragma once

#include <map>
#include <vector>

namespace ductile::workload {

/// The time of an iteration in seconds, by the number of hosts.
using IterationTimes = std::map<int, double>;

/// The efficiency on a number of hosts.
struct Efficiency {
    int hosts = 0;
    double speedup = 1;     ///< compared with min_hosts
    double efficiency = 1;  ///< equation 3 of dmr-slurm-mpdata; 1 on min_hosts
    double normalised = 1;  ///< equation 2: 0 for the lowest efficiency, 1 for the highest; 1 if
                            ///< all are equal
};

/// The efficiencies for each number of hosts from `min_hosts` on, in ascending order. With the
/// times {1: 8 s, 2: 4 s, 4: 4 s} they are 1, 1 and 0.5. `iteration_s` must have a time for
/// `min_hosts`, and each time must be above 0.
std::vector<Efficiency> efficiencies(const IterationTimes& iteration_s, int min_hosts);

/// The largest number of hosts whose efficiency (equation 3 of dmr-slurm-mpdata) is
/// `min_efficiency` or more. In the paper `min_efficiency` is 1, the efficiency on `min_hosts`.
/// Returns `min_hosts` if no number of hosts reaches `min_efficiency`.
int efficient_hosts(const IterationTimes& iteration_s, int min_hosts, double min_efficiency = 1);

}  // namespace ductile::workload
