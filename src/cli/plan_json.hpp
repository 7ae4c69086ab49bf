// Plans as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/layout.hpp"
#include "plan/shrink_plan.hpp"
#include "plan/start_plan.hpp"

namespace ductile::cli {

/// `kind` ("expand", or "replace" for baseline), `method`, `start`, `before`, `added` (with
/// `first_rank`), `steps` (the columns of Table 2 of parallel-spawning-strategies: `s`, `t`, `g`,
/// `lambda`, `T`, `G`; null where Table 2 prints a dash), `spawns`, `rounds`, `together` (the ranks
/// on each host while the old and the new ranks are all there), `after`.
nlohmann::json to_json(const plan::StartPlan& start, const core::Layout& before);
/// `kind` ("shrink"), `before`, `leaving`, `parking`, `after`.
nlohmann::json to_json(const plan::ShrinkPlan& shrink, const core::Layout& before);

}  // namespace ductile::cli
