#include "broker/limits.hpp"

#include <algorithm>

namespace ductile::broker {

namespace {

template <class T>
void take_if_unset(Setting<T>& mine, const Setting<T>& code) {
    if (mine.value == T{} && code.value != T{}) mine = code;
}

}  // namespace

std::string to_text(Origin origin) {
    switch (origin) {
        case Origin::command_line:
            return "command line";
        case Origin::environment:
            return "environment";
        case Origin::file:
            return "file";
        case Origin::code:
            return "code";
        case Origin::standard:
            return "default";
    }
    return "default";
}

std::optional<std::string> merge_code(Limits& limits, const Limits& code) {
    std::optional<std::string> refused;
    if (code.min.value != 0 && limits.min.value != 0 && limits.min.value < code.min.value) {
        refused = "min " + std::to_string(limits.min.value) + " is below the program's own min " +
                  std::to_string(code.min.value);
        limits.min = code.min;
    }
    if (code.max.value != 0 && limits.max.value > code.max.value) {
        refused = (refused ? *refused + ", and max " : "max ") + std::to_string(limits.max.value) +
                  " is above the program's own max " + std::to_string(code.max.value);
        limits.max = code.max;
    }
    take_if_unset(limits.min, code.min);
    take_if_unset(limits.max, code.max);
    take_if_unset(limits.preferred, code.preferred);
    take_if_unset(limits.multiple, code.multiple);
    take_if_unset(limits.inhibitor_points, code.inhibitor_points);
    take_if_unset(limits.inhibitor_s, code.inhibitor_s);
    take_if_unset(limits.one_world, code.one_world);
    return refused;
}

std::optional<std::string> objection(const Limits& limits, int ranks) {
    const auto from = [](const auto& setting) { return " (" + to_text(setting.origin) + ")"; };
    const std::string size = "a size of " + std::to_string(ranks);
    if (limits.min.value != 0 && ranks < limits.min.value)
        return size + " is below min " + std::to_string(limits.min.value) + from(limits.min);
    if (limits.max.value != 0 && ranks > limits.max.value)
        return size + " is above max " + std::to_string(limits.max.value) + from(limits.max);
    if (limits.multiple.value > 1 && ranks % limits.multiple.value != 0)
        return size + " is no multiple of " + std::to_string(limits.multiple.value) +
               from(limits.multiple);
    return std::nullopt;
}

std::optional<int> smallest_allowed(const core::SizeRange& range, const Limits& limits) {
    for (int size = range.lower; size <= range.upper; ++size)
        if (!objection(limits, size)) return size;
    return std::nullopt;
}

std::optional<int> largest_allowed(const core::SizeRange& range, const Limits& limits) {
    for (int size = range.upper; size >= range.lower; --size)
        if (!objection(limits, size)) return size;
    return std::nullopt;
}

}  // namespace ductile::broker
