// `ductile plan --explain`: which way a job with `--method auto` would take, and what the others
// would cost.
#pragma once

#include <optional>
#include <string>

#include "core/allocation.hpp"
#include "core/layout.hpp"
#include "plan/methods.hpp"

namespace ductile::cli {

struct ExplainRequest {
    core::Layout now;
    core::Allocation allocation;
    int target = 0;
    std::optional<plan::Method> method;  ///< nothing: any
    std::optional<plan::Start> start;
    std::string costs;  ///< a file of costs; empty: this user's
    bool json = false;
};

/// Text or JSON, with its last newline. Throws InputError for costs that cannot be read.
std::string explain(const ExplainRequest& request);

}  // namespace ductile::cli
