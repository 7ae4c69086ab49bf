#include "agent/bootstrap.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "wire/json_line.hpp"

namespace ductile::agent {

namespace {

constexpr std::size_t max_line_bytes = 64u << 20;
constexpr std::size_t max_job_bytes = 48;  // part of a Unix socket's path

}  // namespace

bool is_job_name(const std::string& name) {
    const auto allowed = [](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_';
    };
    return !name.empty() && name.size() <= max_job_bytes && std::ranges::all_of(name, allowed);
}

std::string Bootstrap::marker() const {
    return identity.job + "." + std::to_string(identity.host.value) + "." +
           std::to_string(identity.generation.value);
}

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
    if (json.contains("welcome")) {
        const auto message = wire::decode<std::variant<wire::AgentWelcome>>(json["welcome"]);
        result.welcome = std::get<wire::AgentWelcome>(message);
    }
    if (json.contains("runs")) {
        if (!json["runs"].is_array())
            throw InputError("bootstrap refused: bootstrap.runs is not a list");
        for (const auto& run : json["runs"])
            result.runs.push_back(
                std::get<wire::StartRun>(wire::decode<std::variant<wire::StartRun>>(run)));
        if (!result.runs.empty() && !result.welcome)
            throw InputError(
                "bootstrap refused: bootstrap.runs is there without bootstrap.welcome");
    }
    return result;
}

std::string read_line(int fd) {
    std::string line;
    char buffer[16384];
    for (;;) {
        const ssize_t n = ::read(fd, buffer, sizeof(buffer));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            throw InputError(std::string("bootstrap refused: cannot read standard input: ") +
                             std::strerror(errno));
        line.append(buffer, static_cast<std::size_t>(n));
        const auto end = line.find('\n');
        if (end != std::string::npos) return line.substr(0, end);
        if (n == 0 && line.empty())
            throw InputError(
                "bootstrap refused: nothing came on standard input (an agent is started by "
                "`ductile run`)");
        if (n == 0) return line;
        if (line.size() > max_line_bytes)
            throw InputError("bootstrap refused: the line is longer than 64 MiB");
    }
}

}  // namespace ductile::agent
