#include "cli/doctor/examine.hpp"

#include <poll.h>
#include <sys/prctl.h>

#include <cerrno>
#include <system_error>

#include "cli/doctor/mpi_installation.hpp"
#include "cli/doctor/probe_output.hpp"
#include "cli/doctor/probe_runs.hpp"
#include "cli/doctor/probes.hpp"
#include "cli/private_folder.hpp"
#include "mpi/capabilities.hpp"
#include "rms/command.hpp"
#include "rms/network.hpp"

namespace ductile::cli {
namespace {

bool is_readable(int descriptor) {
    pollfd watched{descriptor, POLLIN, 0};
    return descriptor >= 0 && poll(&watched, 1, 0) == 1 && (watched.revents & POLLIN) != 0;
}

/// Adds the variables of Intel's `setvars.sh`, if they are not set. Intel's mpicc and network
/// library use them.
void add_intel_paths(rms::Environment& environment, const std::string& prefix) {
    environment.try_emplace("I_MPI_ROOT", prefix);
    for (const char* folder : {"/opt/mpi/libfabric/lib/prov", "/libfabric/lib/prov", "/lib"})
        if (std::filesystem::is_directory(prefix + folder)) {
            environment.try_emplace("FI_PROVIDER_PATH", prefix + folder);
            return;
        }
}

void put_first(rms::Environment& environment, const char* name, const std::string& folder) {
    auto& folders = environment[name];
    folders = folders.empty() ? folder : folder + ":" + folders;
}

/// In PATH the MPI's own tools come first. The environment also has the variables that the MPI
/// needs, and those that make waiting ranks yield their core: a small host has fewer cores than the
/// probes have ranks.
rms::Environment probe_environment(const ExamineOptions& options, const mpi::Capabilities& can) {
    auto environment = rms::without_launcher_variables(options.environment);
    environment.try_emplace("PATH", "/usr/bin:/bin");
    put_first(environment, "PATH", options.prefix + "/bin");
    if (can.implementation == "Intel MPI") add_intel_paths(environment, options.prefix);
    for (const auto& [name, value] : can.environment_on(rms::has_fast_network(), true))
        environment[name] = value;
    return environment;
}

/// Stores the output of `mpiexec --version`, or why there is none.
void ask_launcher(const ExamineOptions& options, Examination& seen) {
    rms::Command ask;
    ask.arguments = {seen.installation.mpiexec, "--version"};
    ask.environment = probe_environment(options, {});
    ask.deadline = options.version_deadline;
    ask.cancel_on = {options.cancel_on};
    const auto answer = rms::run_command(ask);
    seen.launcher_text = answer.out;
    if (answer.succeeded()) return;
    seen.launcher_trouble = rms::how_it_ended(ask, answer);
    if (const auto why = trouble_in(answer.err); !why.empty()) seen.launcher_trouble += ": " + why;
}

void expect_file(const std::filesystem::path& part) {
    if (!std::filesystem::exists(part))
        throw std::system_error(ENOENT, std::generic_category(),
                                "a part of doctor is missing: " + part.string());
}

/// Builds the probe into `folder`. Returns the reason of a failure, or an empty text.
std::string build(const Probe& probe, const ExamineOptions& options, const Examination& seen,
                  const rms::Environment& environment, const std::filesystem::path& folder) {
    const auto source = options.probe_sources / probe.source;
    expect_file(source);
    rms::Command compile;
    compile.arguments = {seen.installation.mpicc, "-o",        (folder / probe.name).string(),
                         source.string(),         "-lpthread", "-Wl,--enable-new-dtags"};
    compile.environment = environment;
    compile.environment["TMPDIR"] = folder;  // a killed compiler leaves files there
    compile.directory = folder;
    compile.deadline = options.build_deadline;
    compile.cancel_on = {options.cancel_on};
    const auto result = rms::run_command(compile);
    if (result.succeeded()) return {};
    const auto why = trouble_in(result.err);
    return why.empty() ? rms::how_it_ended(compile, result) : why;
}

void add_hidden_processes(ProbeResult& result) {
    for (const auto& left : rms::end_all_descendants())
        result.left_behind.push_back(left.command_line);
}

}  // namespace

Examination examine(const ExamineOptions& options) {
    Examination seen;
    const auto say = [&options](const std::string& what) {
        if (options.progress) options.progress(what);
        if (is_readable(options.cancel_on)) throw ExaminationCancelled();
    };
    std::error_code none;
    seen.installation = find_installation(options.prefix, options.library, options.built_for);
    seen.prefix_exists = std::filesystem::is_directory(options.prefix, none);
    if (seen.installation.mpicc.empty() || seen.installation.mpiexec.empty()) return seen;

    prctl(PR_SET_CHILD_SUBREAPER, 1);
    say("mpiexec --version");
    ask_launcher(options, seen);
    say("");
    if (!seen.launcher_trouble.empty()) return seen;

    const auto can = mpi::in_a_job(mpi::known_capabilities(seen.launcher_text));
    if (can.agents_start_ranks) expect_file(options.probe_ranks);
    const auto launcher = launcher_of(can, seen.installation.mpiexec, options.probe_ranks);
    const auto build_environment = probe_environment(options, can);
    auto environment = build_environment;
    if (const auto& folder = seen.installation.library_folder; !folder.empty())
        put_first(environment, "LD_LIBRARY_PATH", folder);
    if (!can.finalises) environment["PROBE_WITHOUT_FINALIZE"] = "1";
    const PrivateFolder scratch("doctor", options.scratch_parent);
    for (const auto& variable : can.folder_variables) environment[variable] = scratch.path();
    for (const auto& probe : all_probes()) {
        if (probe.only_by_agents && !can.agents_start_ranks) continue;
        ProbeResult result;
        result.probe = probe.name;
        const ProbeResult* needed = seen.find(probe.needs);
        if (needed != nullptr && needed->state != ProbeState::passed) {
            result.trouble = probe.needs;
            seen.results.push_back(result);
            continue;
        }
        say(probe.name);
        for (int i = 0; i < probe.attempts && result.state != ProbeState::passed; ++i) {
            const auto folder = scratch.path() / ("probe-" + probe.name + "-" + std::to_string(i));
            std::filesystem::create_directory(folder);
            seen.build_trouble = build(probe, options, seen, build_environment, folder);
            if (!seen.build_trouble.empty()) break;
            result = run_probe(
                probe, {folder, launcher, environment, options.probe_deadline, options.cancel_on});
            add_hidden_processes(result);
        }
        if (!seen.build_trouble.empty()) break;
        seen.results.push_back(result);
    }
    say("");
    return seen;
}

}  // namespace ductile::cli
