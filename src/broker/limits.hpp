// The sizes that a job may have, and the source of each limit. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/size_range.hpp"

namespace ductile::broker {

/// The source of an option's value. The first one is the strongest (docs/commands/README.md).
enum class Origin { command_line, environment, file, code, standard };

template <class T>
struct Setting {
    T value{};
    Origin origin = Origin::standard;
    bool operator==(const Setting&) const = default;
};

/// Sizes are in ranks. 0: not set.
struct Limits {
    Setting<int> min, max, preferred, multiple;
    Setting<std::int64_t> inhibitor_points;
    Setting<double> inhibitor_s;
    Setting<bool> one_world;  ///< each resize starts all ranks afresh, as one world
};

/// The limits that the program's code sets. 0: not set.
struct ProgramLimits {
    int min = 0, max = 0, preferred = 0, multiple = 0;
    double inhibitor_s = 0;
    std::int64_t inhibitor_points = 0;
    bool one_world = false;
    bool operator==(const ProgramLimits&) const = default;
};

std::string to_text(Origin origin);

/// Merges the limits of the program's code. They are weaker than the user's, but their min and max
/// are hard bounds that a user may only narrow. If the user's limits are refused, the code's limits
/// apply, and the function returns the reason.
std::optional<std::string> merge_code(Limits& limits, const Limits& code);

/// Why a size is outside the limits; none if it is within them.
std::optional<std::string> objection(const Limits& limits, int ranks);

/// The smallest and the largest size of a range that the limits allow; none if they allow no size.
std::optional<int> smallest_allowed(const core::SizeRange& range, const Limits& limits);
std::optional<int> largest_allowed(const core::SizeRange& range, const Limits& limits);

}  // namespace ductile::broker
