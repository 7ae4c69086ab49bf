// Sizes that a job may have, and where each limit came from. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/size_range.hpp"

namespace ductile::broker {

/// Where an option's value came from, strongest first (design, section 3, Options).
enum class Origin { command_line, environment, file, code, standard };

template <class T>
struct Setting {
    T value{};
    Origin origin = Origin::standard;
    bool operator==(const Setting&) const = default;
};

/// In ranks; 0: not set.
struct Limits {
    Setting<int> min, max, preferred, multiple;
    Setting<std::int64_t> inhibitor_points;
    Setting<double> inhibitor_s;
    Setting<bool> one_world;  ///< each resize starts all ranks afresh, as one world
};

std::string to_text(Origin origin);

/// Merges what the program's code says: it is weaker than what the user said, but its min and max
/// are hard bounds that a user may only narrow. Returns why the user's limits are refused, if they
/// are (the code's hold then).
std::optional<std::string> merge_code(Limits& limits, const Limits& code);

/// Why a size is outside the limits; nothing when it is not.
std::optional<std::string> objection(const Limits& limits, int ranks);

/// The smallest and the largest size of a range that the limits allow, if they allow any.
std::optional<int> smallest_allowed(const core::SizeRange& range, const Limits& limits);
std::optional<int> largest_allowed(const core::SizeRange& range, const Limits& limits);

}  // namespace ductile::broker
