// For which streams text without a newline is passed on.
#pragma once

namespace ductile::core {

/// Text without a newline is passed on when it is 0.2 s old, and at a carriage return. Elsewhere,
/// whole lines are.
struct PartialLines {
    bool in_stdout = false, in_stderr = false;

    [[nodiscard]] bool in(int stream) const { return stream == 1 ? in_stdout : in_stderr; }
};

}  // namespace ductile::core
