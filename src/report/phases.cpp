#include "report/phases.hpp"

#include <algorithm>
#include <array>

namespace ductile::report {

namespace {

// A phase, and the mark that ends it.
struct Boundary {
    const char* phase;
    const char* mark;
    During during;
};
constexpr std::array<Boundary, 5> boundaries{{{"launch", "ready", During::background},
                                              {"connect", "formed", During::background},
                                              {"bridge", "bridged", During::background},
                                              {"agree", "arrived", During::background},
                                              {"switch", "done", During::waiting}}};

}  // namespace

const std::vector<Phase>& all_phases() {
    static const std::vector<Phase> phases = [] {
        std::vector<Phase> list;
        for (const auto& boundary : boundaries)
            list.push_back({boundary.phase, boundary.during, 0});
        return list;
    }();
    return phases;
}

std::vector<Phase> phases_of(const Resize& resize) {
    auto phases = all_phases();
    double reached = 0;
    for (std::size_t i = 0; i < boundaries.size(); ++i) {
        const auto mark = resize.since_accepted_s.find(boundaries[i].mark);
        if (mark == resize.since_accepted_s.end()) continue;
        phases[i].seconds = std::max(0.0, mark->second - reached);
        reached = std::max(reached, mark->second);
    }
    return phases;
}

std::vector<Phase> waits_of(const Resize& resize) {
    return {{"vote", During::waiting, resize.vote_s},
            {"join", During::waiting, resize.join_s},
            {"redistribute", During::waiting, resize.redistribute_s},
            {"commit", During::waiting, resize.commit_s},
            {"rebuild", During::waiting, resize.rebuild_s}};
}

}  // namespace ductile::report
