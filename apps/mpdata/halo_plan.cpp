#include "mpdata/halo_plan.hpp"

#include <algorithm>

namespace mpdata {

namespace {

int owner_of(std::int64_t planes, int ranks, std::int64_t plane) {
    const std::int64_t small = planes / ranks;
    const std::int64_t larger = planes % ranks;
    const std::int64_t in_larger = larger * (small + 1);
    if (plane < in_larger) return static_cast<int>(plane / (small + 1));
    return static_cast<int>(larger + (plane - in_larger) / small);
}

// Adds the transfers of the ghost planes `begin` .. `end`-1 of rank `to`. Neighbouring planes of
// one owner become one transfer.
void add_ghosts(std::int64_t planes, int ranks, int to, std::int64_t begin, std::int64_t end,
                bool periodic, std::vector<PlaneTransfer>& list) {
    const Slab own = slab_of(planes, ranks, to);
    for (std::int64_t ghost = begin; ghost < end; ++ghost) {
        std::int64_t plane = own.offset + ghost;
        if (periodic) plane = (plane % planes + planes) % planes;
        if (plane < 0 || plane >= planes) continue;
        const int from = owner_of(planes, ranks, plane);
        const std::int64_t first = plane - slab_of(planes, ranks, from).offset;
        const bool extends_last = ghost > begin && !list.empty() && list.back().from == from &&
                                  list.back().to == to &&
                                  list.back().ghost + list.back().count == ghost &&
                                  list.back().first + list.back().count == first;
        if (extends_last)
            ++list.back().count;
        else
            list.push_back({from, to, first, ghost, 1});
    }
}

}  // namespace

Slab slab_of(std::int64_t planes, int ranks, int rank) {
    const std::int64_t larger = planes % ranks;
    return {rank * (planes / ranks) + std::min<std::int64_t>(rank, larger),
            planes / ranks + (rank < larger ? 1 : 0)};
}

std::vector<PlaneTransfer> transfers_of(std::int64_t planes, int ranks, int rank,
                                        const GhostPlanes& ghosts, bool periodic) {
    std::vector<PlaneTransfer> list;
    for (int to = 0; to < ranks; ++to) {
        const std::int64_t count = slab_of(planes, ranks, to).count;
        if (count == 0) break;
        add_ghosts(planes, ranks, to, -ghosts.before, 0, periodic, list);
        add_ghosts(planes, ranks, to, count, count + ghosts.after, periodic, list);
    }
    std::erase_if(list, [&](const PlaneTransfer& t) { return t.from != rank && t.to != rank; });
    return list;
}

}  // namespace mpdata
