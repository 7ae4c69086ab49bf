// The options of a job by their names, for `ductile status --options` and for another broker. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

#include "broker/limits.hpp"

namespace ductile::broker {

/// As it is written: true, 4, 1.5, "2:8".
using OptionValue = std::variant<bool, std::int64_t, double, std::string>;
using JobOptions = std::map<std::string, Setting<OptionValue>>;

template <class T>
Setting<OptionValue> as_option(const Setting<T>& setting) {
    return {setting.value, setting.origin};
}

}  // namespace ductile::broker
