// The options of a job by name, for `ductile status --options` and for the next broker. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

#include "broker/limits.hpp"

namespace ductile::broker {

/// The value as a user writes it: true, 4, 1.5, "2:8".
using OptionValue = std::variant<bool, std::int64_t, double, std::string>;
using JobOptions = std::map<std::string, Setting<OptionValue>>;

template <class T>
Setting<OptionValue> as_option(const Setting<T>& setting) {
    return {setting.value, setting.origin};
}

}  // namespace ductile::broker
