// Jobs as policies see them.
#pragma once

#include <algorithm>

#include "policy/views.hpp"

namespace ductile::policy {

/// A job that has `slots` ranks on each host, and the rest on the last one. The first host cannot
/// be given back.
inline JobView job_of(int ranks, int slots = 1, int min = 0, int max = 0, int multiple = 0) {
    JobView view;
    view.ranks = ranks;
    view.slots_per_host = slots;
    for (int left = ranks; left > 0; left -= slots)
        view.hosts.push_back({std::min(left, slots), !view.hosts.empty()});
    view.min = min;
    view.max = max;
    view.multiple = multiple;
    return view;
}

}  // namespace ductile::policy
