// Slurm's format of durations. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace ductile::rms {

/// "1-02:03:04" is days, hours, minutes and seconds. "02:03:04" lacks the days, "03:04" also the
/// hours. UNLIMITED gives none.
/// Throws InputError for anything else.
std::optional<std::chrono::seconds> parse_slurm_time(std::string_view text);

}  // namespace ductile::rms
