// A job to plan resizes of.
#pragma once

#include <string>
#include <vector>

#include "broker/resize_planner.hpp"

namespace ductile::broker {

/// `hosts` hosts of 2 slots, the first `used` of them full, one group each.
inline JobView job(int hosts, int used) {
    JobView view;
    std::vector<core::Group> groups;
    for (int i = 0; i < hosts; ++i) {
        view.allocation.hosts.push_back({"h" + std::to_string(i), 2});
        if (i < used) groups.push_back({core::GroupId{i}, core::HostIndex{i}, 2});
    }
    view.layout = core::Layout::of(groups);
    view.living = view.allocation;
    view.next_group = view.mpi_worlds_seen = used;
    view.mpi.spawn = view.mpi.parallel_spawn = view.mpi.spawn_counts_by_host = true;
    view.mpi.locks_between_worlds = true;
    view.mpi.independent_connect = view.mpi.spawn_blocks_threads = true;
    return view;
}

}  // namespace ductile::broker
