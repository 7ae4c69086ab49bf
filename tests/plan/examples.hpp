// Groups and allocations as the tests of plans write them.
#pragma once

#include <string>
#include <vector>

#include "core/allocation.hpp"
#include "core/layout.hpp"

namespace ductile::plan {

inline core::Group group(int id, int host, int ranks) {
    return {core::GroupId{id}, core::HostIndex{host}, ranks};
}

inline core::Allocation slots(const std::vector<int>& per_host) {
    core::Allocation allocation;
    for (const int n : per_host)
        allocation.hosts.push_back({"host" + std::to_string(allocation.hosts.size()), n});
    return allocation;
}

}  // namespace ductile::plan
