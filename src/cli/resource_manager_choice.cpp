#include "cli/resource_manager_choice.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <thread>

#include "cli/launch_context.hpp"
#include "cli/split_words.hpp"
#include "ductile/error.hpp"
#include "rms/hosts_file.hpp"
#include "rms/program.hpp"

namespace ductile::cli {

namespace {

/// Of several places that say where hosts come from, the strongest one counts.
std::string source_of_hosts(const Settings& settings) {
    std::string chosen = "local";
    std::optional<Given> strongest;
    for (const char* name : {"rms-command", "hosts", "local"}) {
        const auto given = settings.find(name);
        if (!given) continue;
        if (strongest && strongest->origin == given->origin)
            throw InputError(strongest->place + " and " + given->place + " exclude each other");
        if (strongest && strongest->origin < given->origin) continue;
        strongest = given;
        chosen = name;
    }
    return chosen;
}

std::vector<std::string> remote_shell(Settings& settings) {
    return split_words(settings.text("remote-shell",
                                     "ssh -o BatchMode=yes -o ConnectTimeout=10 {host} {command}"));
}

int ranks_per_host(Settings& settings) {
    return settings.number("ranks-per-host", 0, 1, most_ranks).value;
}

std::unique_ptr<rms::ResourceManager> make_program(Settings& settings, const std::string& job,
                                                   const core::Allocation& held,
                                                   const std::string& directory) {
    rms::ProgramSettings program;
    program.command = split_words(settings.text("rms-command", ""));
    if (program.command.empty()) throw InputError("--rms-command names no program");
    program.directory = directory;
    program.remote_shell = remote_shell(settings);
    program.job = job;
    program.held = held;
    program.most_slots = ranks_per_host(settings);
    return rms::make_program(std::move(program));
}

std::unique_ptr<rms::ResourceManager> make_hosts(Settings& settings) {
    auto allocation = rms::read_hosts_file(settings.text("hosts", ""));
    if (const int slots = ranks_per_host(settings); slots > 0)
        for (auto& host : allocation.hosts) host.slots = slots;
    return rms::make_hosts(std::move(allocation), remote_shell(settings));
}

// The slots are enough for `ranks`, unless a user says how many there are.
std::unique_ptr<rms::ResourceManager> make_local(Settings& settings, int ranks) {
    const int hosts = settings.number("local", 1, 1, 4096).value;
    const int slots = ranks_per_host(settings);
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    return rms::make_local(
        hosts, slots > 0 ? slots : std::max({1, cores / hosts, (ranks + hosts - 1) / hosts}));
}

}  // namespace

std::unique_ptr<rms::ResourceManager> make_resource_manager(Settings& settings, int ranks,
                                                            const std::string& job) {
    const auto source = source_of_hosts(settings);
    if (source == "hosts") return make_hosts(settings);
    if (source == "local") return make_local(settings, ranks);
    const auto words = split_words(settings.text("rms-command", ""));
    if (!words.empty()) static_cast<void>(find_program(words.front()));  // throws
    std::error_code error;
    const auto here = std::filesystem::current_path(error);
    if (error) throw SystemError("cannot tell the working directory: " + error.message());
    return make_program(settings, job, {}, here);
}

std::unique_ptr<rms::ResourceManager> resource_manager_of(Settings& settings,
                                                          const JobOrigin& origin,
                                                          const std::string& job,
                                                          const core::Allocation& held) {
    const auto& hosts = origin.hosts.hosts;
    if (hosts.empty()) return make_program(settings, job, held, origin.launch.directory);
    if (origin.logical) return rms::make_local(static_cast<int>(hosts.size()), hosts.front().slots);
    return rms::make_hosts(origin.hosts, remote_shell(settings));
}

}  // namespace ductile::cli
