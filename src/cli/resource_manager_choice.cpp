#include "cli/resource_manager_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>

#include "cli/launch_context.hpp"
#include "cli/split_words.hpp"
#include "ductile/error.hpp"
#include "rms/hosts_file.hpp"
#include "rms/program.hpp"
#include "rms/slurm.hpp"

namespace ductile::cli {

namespace {

constexpr const char* nothing_named = "";
constexpr const char* this_slurm_job = "here";
/// How long a broker that takes a job over waits for Slurm. It is less than the default of
/// --orphan-limit (60 s), after which hosts may end their ranks.
constexpr std::chrono::seconds slurm_patience{45};

/// The option that names the hosts. If several options do, the option from the strongest place
/// counts (command line, then environment, then file). Throws InputError if two options are given
/// in the same place.
std::string source_of_hosts(const Settings& settings) {
    std::string chosen = nothing_named;
    std::optional<Given> strongest;
    for (const char* name : {"rms-command", "slurm-job", "hosts", "local"}) {
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

/// On this machine, agents are started directly, unless the user says how to start them.
std::unique_ptr<rms::ResourceManager> make_hosts(Settings& settings, core::Allocation allocation) {
    const bool starts_here = !settings.find("remote-shell");
    return rms::make_hosts(std::move(allocation), remote_shell(settings), starts_here);
}

core::Allocation read_hosts(Settings& settings) {
    const auto file = settings.text("hosts", "");
    auto allocation = rms::read_hosts_file(file);
    const int slots = ranks_per_host(settings);
    if (slots == 0) return allocation;
    for (auto& host : allocation.hosts) {
        if (host.max_slots != 0 && slots > host.max_slots)
            throw InputError(fmt::format("--ranks-per-host {}: host {} has max_slots={} in {}",
                                         slots, host.name, host.max_slots, file));
        host.slots = slots;
    }
    return allocation;
}

// Together the hosts get enough slots for `ranks`, unless the user gives the slots of each host.
std::unique_ptr<rms::ResourceManager> make_local(Settings& settings, int ranks) {
    const int hosts = settings.number("local", 1, 1, 4096).value;
    const int slots = ranks_per_host(settings);
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    return rms::make_local(
        hosts, slots > 0 ? slots : std::max({1, cores / hosts, (ranks + hosts - 1) / hosts}));
}

std::string slurm_job_around() {
    const char* text = std::getenv("SLURM_JOB_ID");
    return text == nullptr ? "" : text;
}

rms::ShrinkParent shrink_parent(Settings& settings) {
    const auto choice = settings.choice("shrink-slurm-job", "auto", {"auto", "yes", "no"});
    return choice == "auto"  ? rms::ShrinkParent::automatic
           : choice == "yes" ? rms::ShrinkParent::yes
                             : rms::ShrinkParent::no;
}

rms::SlurmSettings slurm_settings(Settings& settings, const std::string& job,
                                  rms::FoundSlurmJob found) {
    rms::SlurmSettings slurm;
    slurm.job = job;
    slurm.parent = std::move(found.job);
    slurm.held = slurm.parent.hosts;
    slurm.most_slots = ranks_per_host(settings);
    slurm.version = found.version;
    slurm.shrink_parent = shrink_parent(settings);
    slurm.merges = settings.choice("slurm-growth", "sidecars", {"sidecars", "merge"}) == "merge";
    return slurm;
}

ChosenManager make_slurm(Settings& settings, const std::string& number, const std::string& job) {
    const auto slurm =
        slurm_settings(settings, job, rms::find_slurm_job(rms::parse_slurm_job(number)));
    return {rms::make_slurm(slurm), slurm.parent.job};
}

/// Uses the Slurm job that SLURM_JOB_ID names. The variable may be out of date, so an error is only
/// printed, and the job then runs on this machine. A rank of another job has the variable, too, but
/// that job uses the hosts.
ChosenManager slurm_job_or_local(Settings& settings, int ranks, const std::string& job) {
    const auto number = slurm_job_around();
    const bool is_in_rank = std::getenv("DUCTILE_GROUP") != nullptr;
    if (!number.empty() && !is_in_rank) try {
            return make_slurm(settings, number, job);
        } catch (const Error& error) {
            fmt::print(stderr,
                       "ductile: SLURM_JOB_ID is set, but the job gets no hosts from Slurm: {}; "
                       "the job runs on this machine\n",
                       error.what());
        }
    return {make_local(settings, ranks), std::nullopt};
}

}  // namespace

ChosenManager make_resource_manager(Settings& settings, int ranks, const std::string& job) {
    const auto source = source_of_hosts(settings);
    if (source == nothing_named) return slurm_job_or_local(settings, ranks, job);
    if (source == "hosts") return {make_hosts(settings, read_hosts(settings)), std::nullopt};
    if (source == "local") return {make_local(settings, ranks), std::nullopt};
    if (source == "slurm-job") {
        auto number = settings.text("slurm-job", "");
        if (number == this_slurm_job) number = slurm_job_around();
        if (number.empty())
            throw InputError("--slurm-job needs a number here: SLURM_JOB_ID is not set");
        return make_slurm(settings, number, job);
    }
    const auto words = split_words(settings.text("rms-command", ""));
    if (!words.empty()) static_cast<void>(find_program(words.front()));  // throws
    std::error_code error;
    const auto here = std::filesystem::current_path(error);
    if (error) throw SystemError("cannot tell the working directory: " + error.message());
    return {make_program(settings, job, {}, here), std::nullopt};
}

std::unique_ptr<rms::ResourceManager> resource_manager_of(Settings& settings,
                                                          const JobOrigin& origin,
                                                          const std::string& job,
                                                          const core::Allocation& held) {
    const auto& hosts = origin.hosts.hosts;
    if (origin.slurm_job) {
        auto slurm = slurm_settings(settings, job,
                                    rms::find_known_slurm_job(*origin.slurm_job, slurm_patience));
        slurm.held = held;
        slurm.taken_over = true;
        return rms::make_slurm(std::move(slurm));
    }
    if (hosts.empty()) return make_program(settings, job, held, origin.launch.directory);
    if (origin.logical) return rms::make_local(static_cast<int>(hosts.size()), hosts.front().slots);
    return make_hosts(settings, origin.hosts);
}

}  // namespace ductile::cli
