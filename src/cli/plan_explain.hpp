// `ductile plan --explain`: the costs of all strategies, and the strategy that a job with
// `--method auto` chooses.
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
    std::optional<plan::Method> method;  ///< none: any
    std::optional<plan::Start> start;    ///< none: any
    std::string costs;                   ///< a file of costs; empty: this user's
    bool json = false;
};

/// Text or JSON, with a newline at its end. Throws InputError for costs that cannot be read.
std::string explain(const ExplainRequest& request);

}  // namespace ductile::cli
