#include "rms/program_path.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace ductile::rms {

std::string program_path(const std::string& name, const Environment& environment) {
    if (name.find('/') != std::string::npos) return name;
    const auto path = environment.find("PATH");
    std::string_view rest = "/usr/bin:/bin";
    if (path != environment.end()) rest = path->second;
    while (!rest.empty()) {
        const auto folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
        auto candidate = std::string(folder.empty() ? "." : folder) + "/" + name;
        if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return name;
}

}  // namespace ductile::rms
