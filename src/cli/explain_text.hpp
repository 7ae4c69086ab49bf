// The decisions of a policy, for people. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ductile::cli {

/// `policy`: the object "policy" in the status of a job. The newest decision is the last line.
/// Throws nlohmann::json::exception when it is not such an object.
std::string explain_text(const nlohmann::json& policy);

}  // namespace ductile::cli
