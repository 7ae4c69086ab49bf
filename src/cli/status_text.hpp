// What a broker says of its job, as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/command_line.hpp"

namespace ductile::cli {

/// Asks the job's broker. Throws SystemError when it is gone or does not answer within 10 s.
nlohmann::json ask_status(const JobSocket& job);

/// The job, its hosts with their groups, and its resizes: all, or the last ones.
std::string status_text(const nlohmann::json& status,
                        std::size_t most_resizes = static_cast<std::size_t>(-1));

}  // namespace ductile::cli
