#include "agent/group_environment.hpp"

#include <algorithm>
#include <utility>

namespace ductile::agent {

std::vector<std::string> group_environment(const std::vector<std::string>& welcome,
                                           const std::vector<std::string>& ours) {
    std::vector<std::string> result = ours;
    for (const auto& entry : welcome) {
        const auto name = entry.substr(0, entry.find('=') + 1);
        const bool replaced = std::ranges::any_of(
            ours, [&name](const std::string& mine) { return mine.starts_with(name); });
        if (!replaced) result.push_back(entry);
    }
    return result;
}

std::vector<std::string> environment_by(const HostServices& services, const RankPlace& place) {
    std::vector<std::string> result;
    for (auto* service : services)
        for (auto& entry : service->environment(place)) result.push_back(std::move(entry));
    return result;
}

}  // namespace ductile::agent
