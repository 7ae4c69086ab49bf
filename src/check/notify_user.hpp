// What the checks tell the user.
#pragma once

#include <string>
#include <vector>

namespace ductile::check {

/// Writes lines to standard error, all with one write if possible, so that they stay together.
void notify_user(const std::vector<std::string>& lines);
/// Ends the process as after a failed assertion. Waits for no other rank.
[[noreturn]] void end_program();

}  // namespace ductile::check
