#include "broker/power_lines_json.hpp"

#include "wire/fields.hpp"
#include "wire/parse_json.hpp"

namespace ductile::broker {

std::string hosts_line(const std::vector<std::string>& hosts) {
    return wire::Json{{"type", "hosts"}, {"hosts", hosts}}.dump(
        -1, ' ', true, wire::Json::error_handler_t::replace);
}

PowerLine parse_power(std::string_view line) {
    return std::get<PowerLine>(
        wire::decode_json<std::variant<PowerLine>>(wire::parse_json(line, "the line")));
}

}  // namespace ductile::broker
