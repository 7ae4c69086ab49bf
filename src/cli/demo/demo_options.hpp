// The options of the demo.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ductile::cli::demo {

struct DemoOptions {
    std::string program = "heat";            ///< or "mpdata"
    std::string page = "ductile-demo.html";  ///< empty: none
    std::string events;                      ///< a copy of the event records; empty: none
    bool quick = false;                      ///< a small grid, a second at each size
    bool logical = false;                    ///< use logical hosts even if virtual ones can be made
};

/// A part of the demo: a size in hosts, and its duration.
struct Act {
    int hosts;
    double seconds;
};

struct Script {
    int ranks_per_host = 2;
    std::int64_t side = 1536;  ///< of heat's grid
    int cells = 59;            ///< of mpdata's grid, along each edge
    std::vector<Act> acts{{1, 4}, {4, 5}, {2, 4}, {4, 5}, {1, 4}};
};

inline Script script_for(const DemoOptions& options) {
    Script script;
    if (!options.quick) return script;
    script.side = 384;
    script.cells = 32;
    for (auto& act : script.acts) act.seconds = 1;
    return script;
}

}  // namespace ductile::cli::demo
