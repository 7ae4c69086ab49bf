#include "broker/rank_efficiency.hpp"

#include <algorithm>

namespace ductile::broker {

void RankEfficiency::measured(const core::Process& process, double elapsed_s, double useful_s) {
    if (!(elapsed_s > 0) || !(useful_s >= 0) || useful_s > elapsed_s) return;
    useful_share_[process] = useful_s / elapsed_s;
}

std::optional<double> RankEfficiency::of(const core::Layout& layout) const {
    std::optional<double> most;
    for (const auto& range : layout.active) {
        for (int i = 0; i < range.ranks; ++i) {
            const core::Process process{range.group, core::Rank{range.first.value + i}};
            const auto share = useful_share_.find(process);
            if (share == useful_share_.end()) return std::nullopt;
            most = std::max(most.value_or(0), share->second);
        }
    }
    return most;
}

}  // namespace ductile::broker
