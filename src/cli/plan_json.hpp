// Plans as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/layout.hpp"
#include "plan/shrink_plan.hpp"
#include "plan/start_plan.hpp"

namespace ductile::cli {

/// `kind` ("expand" or, of baseline, "replace"), `method`, `start`, `before`, `added` (with
/// `first_rank`), `steps` (the columns of the paper's Table 2: `s`, `t`, `g`, `lambda`, `T`, `G`;
/// null where it prints a dash), `spawns`, `rounds`, `together` (the ranks on each host until the
/// sources leave), `after`.
nlohmann::json to_json(const plan::StartPlan& start, const core::Layout& before);
/// `kind` ("shrink"), `before`, `leaving`, `after`.
nlohmann::json to_json(const plan::ShrinkPlan& shrink, const core::Layout& before);

}  // namespace ductile::cli
