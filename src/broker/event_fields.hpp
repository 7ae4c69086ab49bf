// The fields of an event record, beside its name and its time (docs/events.md).
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace ductile::broker {

using EventValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

struct EventField {
    std::string name;
    EventValue value;
    bool operator==(const EventField&) const = default;
};

using EventFields = std::vector<EventField>;

}  // namespace ductile::broker
