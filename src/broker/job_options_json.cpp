#include "broker/job_options_json.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "ductile/error.hpp"

namespace ductile::broker {

namespace {

constexpr std::array all_origins{Origin::command_line, Origin::environment, Origin::file,
                                 Origin::code, Origin::standard};

OptionValue value_in(const nlohmann::json& json, const std::string& place) {
    if (json.is_boolean()) return json.get<bool>();
    if (json.is_string()) return json.get<std::string>();
    if (json.is_number_float()) return json.get<double>();
    const bool is_too_large =
        json.is_number_unsigned() && json.get<std::uint64_t>() > std::uint64_t{INT64_MAX};
    if (!json.is_number_integer() || is_too_large)
        throw InputError(place + " is neither text nor a number nor true or false");
    return json.get<std::int64_t>();
}

Origin origin_in(const nlohmann::json& json, const std::string& place) {
    const auto* name = json.get_ptr<const std::string*>();
    const auto found = std::ranges::find_if(
        all_origins, [&](Origin origin) { return name && to_text(origin) == *name; });
    if (found == all_origins.end()) throw InputError(place + " is not a known source of an option");
    return *found;
}

const nlohmann::json& member(const nlohmann::json& json, const char* key,
                             const std::string& place) {
    const auto found = json.is_object() ? json.find(key) : json.end();
    if (found == json.end()) throw InputError(place + "." + key + " is missing");
    return *found;
}

}  // namespace

nlohmann::json to_json(const JobOptions& options) {
    auto json = nlohmann::json::object();
    for (const auto& [name, setting] : options)
        std::visit(
            [&, &key = name, origin = setting.origin](const auto& value) {
                json[key] = {{"value", value}, {"from", to_text(origin)}};
            },
            setting.value);
    return json;
}

JobOptions job_options_from(const nlohmann::json& json) {
    if (!json.is_object()) throw InputError("the settings are not an object");
    JobOptions options;
    for (const auto& [name, setting] : json.items()) {
        const auto place = "settings." + name;
        options[name] = {value_in(member(setting, "value", place), place + ".value"),
                         origin_in(member(setting, "from", place), place + ".from")};
    }
    return options;
}

}  // namespace ductile::broker
