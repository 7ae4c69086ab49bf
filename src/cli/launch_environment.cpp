#include "cli/launch_environment.hpp"

namespace ductile::cli {

void add_environment(broker::LaunchSpec& launch, const std::map<std::string, std::string>& more) {
    for (const auto& [name, value] : more) {
        const auto begin = name + "=";
        std::erase_if(launch.environment,
                      [&begin](const std::string& entry) { return entry.starts_with(begin); });
        launch.environment.push_back(begin + value);
    }
}

void put_first(broker::LaunchSpec& launch, const std::string& name, const std::string& path) {
    std::string others;
    for (const auto& entry : launch.environment)
        if (entry.starts_with(name + "=")) others = entry.substr(name.size() + 1);
    add_environment(launch, {{name, others.empty() ? path : path + ":" + others}});
}

}  // namespace ductile::cli
