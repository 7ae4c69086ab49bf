#include "agent/group_environment.hpp"

#include <algorithm>

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

}  // namespace ductile::agent
