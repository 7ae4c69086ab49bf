// The settings of the checks in the environment.
#pragma once

#include <chrono>
#include <string>

namespace ductile::check {

struct Mode {
    bool on = false;
    /// A mistake that is beyond doubt ends the program. False: each mistake is only reported.
    bool ends = true;
    /// A rank that waits for this time is reported.
    std::chrono::milliseconds patience{10000};
};

/// From DUCTILE_CHECK ("0", "1", "report"; null: "0") and DUCTILE_CHECK_AFTER (seconds; null: 10).
/// Throws InputError that names the variable.
Mode read_mode(const char* check, const char* after);

}  // namespace ductile::check
