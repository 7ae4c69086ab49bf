#include "cli/run.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <random>
#include <thread>

#include "agent/runtime_directory.hpp"
#include "broker/broker.hpp"
#include "cli/build_info.hpp"
#include "cli/command_line.hpp"
#include "cli/launch_context.hpp"
#include "cli/settings.hpp"
#include "rms/hosts_file.hpp"
#include "rms/resource_manager.hpp"

namespace ductile::cli {

namespace {

constexpr int most_ranks = 1 << 20;

struct RunOptions {
    std::map<std::string, std::string> given;
    std::vector<std::string> environment;
    std::string config;
    std::string name;
};

std::string make_job_id() {
    std::random_device random;
    std::uniform_int_distribution<std::uint32_t> any;
    return fmt::format("{:08x}", any(random));
}

std::unique_ptr<rms::ResourceManager> make_resource_manager(const Settings& settings, int ranks) {
    const int per_host = settings.number("ranks-per-host", 0, 1, most_ranks).value;
    if (const auto file = settings.find("hosts")) {
        if (const auto local = settings.find("local"); local && local->origin == file->origin)
            throw InputError(file->place + " and " + local->place + " exclude each other");
        auto allocation = rms::read_hosts_file(file->text);
        if (per_host > 0)
            for (auto& host : allocation.hosts) host.slots = per_host;
        return rms::make_hosts(
            std::move(allocation),
            split_words(settings.text(
                "remote-shell", "ssh -o BatchMode=yes -o ConnectTimeout=10 {host} {command}")));
    }
    const int hosts = settings.number("local", 1, 1, 4096).value;
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const int slots =
        per_host > 0 ? per_host : std::max({1, cores / hosts, (ranks + hosts - 1) / hosts});
    return rms::make_local(hosts, slots);
}

broker::Limits read_limits(const Settings& settings) {
    broker::Limits limits;
    limits.min = settings.number("min", 0, 1, most_ranks);
    limits.max = settings.number("max", 0, 1, most_ranks);
    limits.preferred = settings.number("preferred", 0, 1, most_ranks);
    limits.multiple = settings.number("multiple", 0, 1, most_ranks);
    const auto points = settings.number("inhibitor-points", 0, 0, 1 << 30);
    limits.inhibitor_points = {points.value, points.origin};
    limits.inhibitor_s = settings.seconds("inhibitor", 0);
    if (limits.max.value != 0 && limits.min.value > limits.max.value)
        throw InputError(fmt::format("min {} is above max {}", limits.min.value, limits.max.value));
    return limits;
}

int run(const RunOptions& options, const std::vector<std::string>& program) {
    if (program.empty())
        throw InputError("nothing to run: ductile run [options] -- program [arguments]");
    const Settings settings(options.given, options.config);
    broker::JobSpec spec;
    spec.mpi = mpi::known_capabilities(build_info::mpi_version_text);
    spec.id = make_job_id();
    const auto asked = settings.number("ranks", 0, 1, most_ranks);
    auto rms = make_resource_manager(settings, std::max(1, asked.value));
    spec.ranks = asked.value != 0 ? asked.value : 1;
    spec.one_world = settings.flag("one-world");
    spec.tag = settings.flag("tag");
    spec.limits = read_limits(settings);
    spec.events = settings.text("events", "");
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const int together =
        rms->logical() ? rms->allocation().total_slots() : rms->allocation().hosts.front().slots;
    spec.launch = capture_context(spec.mpi, settings.text("mpiexec", build_info::mpiexec),
                                  options.environment, together > cores);
    spec.launch.program = program;
    spec.launch.program.front() = find_program(program.front());
    spec.launch.beat_s = settings.seconds("heartbeat", 1).value;
    spec.launch.beat_limit_s = settings.seconds("heartbeat-limit", 5).value;
    spec.launch.orphan_limit_s = settings.seconds("orphan-limit", 60).value;
    spec.launch.leave_within_s = settings.seconds("leave-within", 30).value;
    spec.progress_s = settings.seconds("progress-within", 5).value;
    spec.vote_s = settings.seconds("vote-within", 10).value;
    if (spec.launch.beat_s < 0.05 || spec.launch.beat_limit_s < 2 * spec.launch.beat_s)
        throw InputError(
            "the heartbeat must be at least 0.05 s, and its limit at least twice that");
    if (!spec.mpi.can_launch_groups() && !spec.mpi.refused.empty())
        throw InputError("cannot run on this MPI: " + spec.mpi.refused + " (ask `ductile doctor`)");

    agent::remove_dead_directories(std::chrono::minutes(1));
    const agent::RuntimeDirectory directory(spec.id);
    broker::Broker broker(std::move(spec), std::move(rms), directory.path() + "/broker.sock");
    return broker.run();
}

}  // namespace

void add_run_command(CLI::App& app, const std::vector<std::string>& program, int& exit_code) {
    auto* command = app.add_subcommand(
        "run", "Start a program under a broker: ductile run [options] -- program ...");
    auto options = std::make_shared<RunOptions>();
    const auto value = [command, options](const std::string& flags, const std::string& key,
                                          const std::string& help) {
        return command->add_option_function<std::string>(
            flags, [options, key](const std::string& text) { options->given[key] = text; }, help);
    };
    value("-n,--ranks", "ranks", "ranks to begin with (1)");
    value("--hosts", "hosts", "file of hosts: `name [slots=N]` a line")->type_name("FILE");
    value("--local", "local", "K logical hosts of this machine (1)")
        ->type_name("K")
        ->expected(0, 1)
        ->default_str("1");
    value("--ranks-per-host", "ranks-per-host", "ranks that a host may hold (its slots)");
    value("--min", "min", "never fewer ranks");
    value("--max", "max", "never more ranks");
    value("--preferred", "preferred", "ranks that a policy aims at");
    value("--multiple", "multiple", "only sizes that are a multiple of this");
    value("--inhibitor", "inhibitor", "no resize for so many seconds after one");
    value("--inhibitor-points", "inhibitor-points",
          "no resize for so many resize points after one");
    value("--remote-shell", "remote-shell",
          "how to run a command on a host, with {host} and {command} or {argv}");
    value("--mpiexec", "mpiexec", "the launcher of the MPI that ductile was built for");
    value("--leave-within", "leave-within",
          "seconds after which a rank that has left is killed (30)");
    value("--orphan-limit", "orphan-limit", "seconds that a host lives on its own (60)");
    value("--heartbeat", "heartbeat", "seconds between heartbeats (1)");
    value("--heartbeat-limit", "heartbeat-limit",
          "seconds of silence after which a host is lost (5)");
    value("--progress-within", "progress-within",
          "seconds without progress after which a switch is given up (5)");
    value("--vote-within", "vote-within",
          "seconds more after which a switch that hangs ends the job (10)");
    value("--events", "events", "write event records (JSON lines) to this file")->type_name("FILE");
    command->add_flag_callback(
        "--tag", [options] { options->given["tag"] = "true"; },
        "begin each line of output with its rank: [g2.1]");
    command->add_flag_callback(
        "--one-world", [options] { options->given["one-world"] = "true"; },
        "one MPI_COMM_WORLD over all ranks and hosts, for programs that are not malleable");
    command->add_option("--env", options->environment, "set or pass on an environment variable")
        ->type_name("NAME[=VALUE]")
        ->allow_extra_args(false)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command->add_option("--config", options->config, "TOML file with options ($DUCTILE_CONFIG)")
        ->type_name("FILE");
    command->callback([options, program, &exit_code] { exit_code = run(*options, program); });
}

}  // namespace ductile::cli
