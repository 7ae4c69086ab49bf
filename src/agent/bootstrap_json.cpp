#include "agent/bootstrap.hpp"
#include "wire/json_line.hpp"

namespace ductile::agent {

Bootstrap parse_bootstrap(std::string_view line) {
    wire::Json json;
    try {
        json = wire::from_line(line);
    } catch (const InputError& error) {
        throw InputError(std::string("bootstrap refused: ") + error.what());
    }
    Bootstrap result;
    wire::Decoder fields(json, "bootstrap");
    fields.text("job", result.identity.job, wire::limits::name_bytes);
    if (!is_job_name(result.identity.job))
        throw InputError(
            "bootstrap refused: bootstrap.job is not 1 to 48 letters, digits, '-' or '_'");
    fields.number("host", result.identity.host.value, 0, wire::limits::ids - 1);
    fields.number("generation", result.identity.generation.value, 0, wire::limits::ids - 1);
    fields.text("host_name", result.host_name, wire::limits::name_bytes);
    std::string secret;
    fields.text("secret", secret, wire::limits::name_bytes);
    result.secret = wire::secret_from_hex(secret);
    fields.texts("addresses", result.addresses, 64, wire::limits::name_bytes);
    if (result.addresses.empty())
        throw InputError("bootstrap refused: bootstrap.addresses is empty");
    fields.number("port", result.port, 1, 65535);
    fields.flag("logical", result.logical);
    fields.flag("partial_stdout", result.partial.in_stdout);
    fields.flag("partial_stderr", result.partial.in_stderr);
    if (json.contains("welcome")) {
        const auto message = wire::decode_json<std::variant<wire::AgentWelcome>>(json["welcome"]);
        result.welcome = std::get<wire::AgentWelcome>(message);
    }
    if (json.contains("runs")) {
        if (!json["runs"].is_array())
            throw InputError("bootstrap refused: bootstrap.runs is not a list");
        for (const auto& run : json["runs"])
            result.runs.push_back(
                std::get<wire::StartRun>(wire::decode_json<std::variant<wire::StartRun>>(run)));
        if (!result.runs.empty() && !result.welcome)
            throw InputError(
                "bootstrap refused: bootstrap.runs is there without bootstrap.welcome");
    }
    return result;
}

}  // namespace ductile::agent
