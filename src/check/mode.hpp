// What the environment says about the checks.
#pragma once

#include <chrono>
#include <string>

namespace ductile::check {

struct Mode {
    bool on = false;
    /// What is wrong for certain ends the program; else it is only said.
    bool ends = true;
    /// A rank that waits for so long is said.
    std::chrono::milliseconds patience{10000};
};

/// From DUCTILE_CHECK ("0", "1", "report"; null: "0") and DUCTILE_CHECK_AFTER (seconds; null: 10).
/// Throws InputError that names the variable.
Mode read_mode(const char* check, const char* after);

}  // namespace ductile::check
