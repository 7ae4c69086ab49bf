// What the checks tell the user.
#pragma once

#include <string>
#include <vector>

namespace ductile::check {

/// Lines that stay together, on standard error.
void say(const std::vector<std::string>& lines);
/// As after a failed assertion: nothing that waits for other ranks is done.
[[noreturn]] void end_program();

}  // namespace ductile::check
