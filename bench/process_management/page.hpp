// The result as pictures: which strategy is the best between which sizes, and the times of each
// strategy. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "process_management/cells.hpp"

namespace ductile::bench {

/// One HTML file. `report`: what the benchmark writes as JSON (machine, versions, hosts, per_host,
/// repeat); `library`: the text of plotly.min.js.
std::string render_page(const std::vector<Cell>& cells, const nlohmann::json& report,
                        const std::string& library);

}  // namespace ductile::bench
