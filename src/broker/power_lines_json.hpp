// The lines between a job and the program that reports the power of its hosts (docs/policies.md).
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/limits.hpp"

namespace ductile::broker {

/// The program is told the hosts whose power is wanted.
std::string hosts_line(const std::vector<std::string>& hosts);

/// A line of the program.
struct PowerLine {
    static constexpr std::string_view name = "power";
    std::string host;
    double watts = 0;
    template <class V>
    void visit(V& v) {
        v.text("host", host, wire::limits::name_bytes);
        v.real("watts", watts, 0, wire::limits::watts);
    }
};
/// Throws InputError that names the field.
PowerLine parse_power(std::string_view line);

}  // namespace ductile::broker
