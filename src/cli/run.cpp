#include "cli/run.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <thread>

#include "agent/bootstrap.hpp"
#include "agent/runtime_directory.hpp"
#include "broker/broker.hpp"
#include "broker/host_table.hpp"
#include "broker/start_refusals.hpp"
#include "cli/build_info.hpp"
#include "cli/command_line.hpp"
#include "cli/costs_file.hpp"
#include "cli/exec_limits.hpp"
#include "cli/job_origin.hpp"
#include "cli/launch_context.hpp"
#include "cli/launch_environment.hpp"
#include "cli/mpi_choice.hpp"
#include "cli/output_place.hpp"
#include "cli/preload_checks.hpp"
#include "cli/resource_manager_choice.hpp"
#include "cli/settings.hpp"
#include "cli/small_file.hpp"
#include "os/hide_memory.hpp"
#include "plan/join_partners.hpp"
#include "rms/hosts_file.hpp"
#include "rms/resource_manager.hpp"
#include "rms/self.hpp"
#include "wire/json_line.hpp"

namespace ductile::cli {

namespace {

struct RunOptions {
    std::map<std::string, std::string> given;
    std::vector<std::string> environment;
    std::string config;
    std::string resume;
};

broker::Limits read_limits(Settings& settings) {
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

// Where the method is chosen for each resize, so is all that is not named.
void read_strategy(Settings& settings, broker::JobSpec& spec) {
    const auto method = settings.choice("method", "merge", names_and_auto(plan::all_methods));
    const bool chosen = method == "auto";
    const auto start = settings.choice(
        "start", chosen ? "auto" : std::string(plan::to_string(broker::standard_start(spec.mpi))),
        names_and_auto(plan::all_starts));
    const auto overlap = settings.choice("overlap", chosen ? "auto" : "background",
                                         names_and_auto(plan::all_overlaps));
    spec.automatic = {chosen, start == "auto", overlap == "auto"};
    if (!spec.automatic.method) spec.strategy.method = *plan::method_named(method);
    if (!spec.automatic.start) spec.strategy.start = *plan::start_named(start);
    const auto why = broker::why_not(spec.strategy.start, spec.mpi);
    if (!spec.automatic.start && why && spec.mpi.refused.empty())
        throw InputError(fmt::format("--start {} is refused: {}", start, *why));
    if (!spec.automatic.overlap) spec.strategy.overlap = *plan::overlap_named(overlap);
    spec.strategy.redistribution = *plan::executor_named(settings.choice(
        "redistribution", chosen ? "auto" : "p2p", names_of(plan::executor_choices)));
    const auto executor = spec.strategy.redistribution;
    if (const auto no = broker::why_not(executor, spec.mpi); no && spec.mpi.refused.empty())
        throw InputError(
            fmt::format("--redistribution {} is refused: {}", plan::to_string(executor), *no));
    const auto costs = settings.text("costs", "");
    if (!costs.empty())
        spec.costs = read_costs(costs, spec.mpi);
    else
        spec.costs = costs_of_this_user(spec.mpi);
}

// All but where it runs and what.
broker::JobSpec read_spec(Settings& settings, const mpi::Capabilities& mpi) {
    broker::JobSpec spec;
    spec.mpi = mpi::in_a_job(mpi);
    spec.ranks = settings.sizes("ranks", {}, most_ranks);
    read_strategy(settings, spec);
    spec.readiness = settings.choice("readiness", "broker", {"broker", "tree"}) == "tree"
                         ? plan::Readiness::tree
                         : plan::Readiness::broker;
    if (spec.readiness == plan::Readiness::tree && !spec.mpi.agents_start_ranks)
        throw InputError("--readiness tree is refused: its ranks are started by mpiexec");
    spec.strategy.joining =
        *plan::joining_named(settings.choice("join", "point", names_of(plan::all_joinings)));
    spec.strategy.memory =
        *plan::memory_named(settings.choice("memory", "keep", names_of(plan::all_memories)));
    spec.strategy.rank_order = *plan::rank_order_named(
        settings.choice("rank-order", "append", names_of(plan::all_rank_orders)));
    if (const auto no = broker::why_not(spec.strategy)) throw InputError(*no);
    spec.tag = settings.flag("tag");
    spec.verify = settings.flag("verify");
    spec.limits = read_limits(settings);
    spec.asking.slots = settings.number("ranks-per-host", 0, 1, most_ranks).value;
    spec.asking.within_s = settings.seconds("hosts-within", 60).value;
    spec.events = settings.text("events", "");
    expect_place_for("--events", spec.events);
    spec.switch_limits.progress_s = settings.seconds("progress-within", 5).value;
    spec.switch_limits.vote_s = settings.seconds("vote-within", 10).value;
    spec.switch_limits.own_moves_s = settings.seconds("redistribute-within", 600).value;
    spec.renew_after_s = settings.seconds("renew-after", 10).value;
    return spec;
}

// MPICH shares memory by files, which a plain user could not open under such a umask.
void share_no_memory_under_odd_umask(broker::JobSpec& spec) {
    constexpr int own_bits = 0600;
    if ((spec.launch.umask & own_bits) == 0 || ::geteuid() == 0) return;
    if (spec.mpi.implementation != "MPICH") return;
    add_environment(spec.launch, {{"MPIR_CVAR_NOLOCAL", "1"}});
    fmt::print(stderr,
               "ductile: umask {:04o} takes your own access to new files, so ranks of one machine "
               "share no memory (MPIR_CVAR_NOLOCAL=1); a umask such as 0077 lets them\n",
               spec.launch.umask);
}

JobOrigin origin_in(const broker::Journal& journal, const std::string& job) {
    try {
        std::string named;
        wire::Decoder(journal.origin(), "origin").text("job", named, wire::limits::name_bytes);
        if (named != job) throw InputError("it is the journal of job " + named);
        return job_origin_from(journal.origin());
    } catch (const InputError& error) {
        throw InputError("the journal of job " + job + " cannot be read: " + error.what());
    }
}

// The journal goes with a job that has ended in order, or never began, and with no other.
int run_in(agent::RuntimeDirectory& directory, broker::Broker& broker) {
    using AtEnd = agent::RuntimeDirectory::AtEnd;
    directory.at_end(AtEnd::kept);
    try {
        const int code = broker.run();
        directory.at_end(AtEnd::removed);
        return code;
    } catch (const Error&) {
        if (!broker.has_begun()) directory.at_end(AtEnd::removed);
        throw;
    }
}

// The job of a broker that died.
int resume(const RunOptions& options, const std::vector<std::string>& program) {
    if (!program.empty() || !options.given.empty() || !options.environment.empty() ||
        !options.config.empty())
        throw InputError(
            "--resume takes the job over as it was started: no other option, no program");
    os::hide_memory();
    const auto job = id_of_job(options.resume);
    const auto path = agent::runtime_parent() + "/" + job;
    // Throws where it, or its parent, is not this user's alone.
    if (const auto parent = agent::find_runtime_parent())
        static_cast<void>(parent->find_child(job));
    auto journal = broker::Journal::reopen(agent::journal_in(path));
    // If that throws, nothing has been touched.
    const auto held = broker::held_hosts(journal.snapshot().hosts);
    const auto origin = origin_in(journal, job);
    Settings settings(origin.settings);
    const auto mpi = choose_mpi(settings.text("mpi", ""));
    auto spec = read_spec(settings, mpi.capabilities);
    spec.id = job;
    spec.launch = origin.launch;
    spec.options = origin.settings;
    auto rms = resource_manager_of(settings, origin, job, held);
    ::unlink((path + "/" + broker::socket_name).c_str());
    broker::Broker broker(std::move(spec), std::move(rms), path, agent::journal_in(path),
                          std::move(journal));
    // From here on the job is this broker's, and its directory goes with it.
    agent::RuntimeDirectory directory(job, agent::RuntimeDirectory::Contents::kept);
    return run_in(directory, broker);
}

bool are_cores_shared(Settings& settings, const rms::ResourceManager& rms) {
    const auto asked = settings.choice("shared-cores", "auto", {"auto", "yes", "no"});
    if (asked != "auto") return asked == "yes";
    const auto cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const auto& hosts = rms.allocation();
    if (rms.logical()) return hosts.total_slots() > cores;
    // Of hosts that are still to come it is known what is asked for.
    if (hosts.hosts.empty())
        return settings.number("ranks-per-host", 1, 1, most_ranks).value > cores;
    return std::ranges::any_of(hosts.hosts,
                               [cores](const core::Host& host) { return host.slots > cores; });
}

int run(const RunOptions& options, const std::vector<std::string>& program) {
    os::hide_memory();
    if (!options.resume.empty()) return resume(options, program);
    if (program.empty())
        throw InputError("nothing to run: ductile run [options] -- program [arguments]");
    Settings settings(options.given, options.config);
    const auto mpi = choose_mpi(settings.text("mpi", ""));
    const auto job = make_job_id(settings.text("name", ""));
    const auto id_file = settings.text("id-file", "");
    expect_place_for("--id-file", id_file);
    auto rms = make_resource_manager(settings, settings.sizes("ranks", {}, most_ranks).lower, job);
    auto spec = read_spec(settings, mpi.capabilities);
    spec.id = job;
    spec.launch = capture_context(spec.mpi, settings.text("mpiexec", mpi.mpiexec),
                                  options.environment, are_cores_shared(settings, *rms));
    if (!mpi.library_path.empty()) put_first(spec.launch, "LD_LIBRARY_PATH", mpi.library_path);
    preload_checks(settings, spec.launch);
    share_no_memory_under_odd_umask(spec);
    if (rms->logical()) add_environment(spec.launch, {{plan::one_machine_variable, "1"}});
    spec.launch.program = program;
    spec.launch.program.front() = find_program(program.front());
    expect_exec_takes(spec.launch.program, spec.launch.environment);
    spec.launch.beat_s = settings.seconds("heartbeat", 1).value;
    // A process of this machine that dies is seen at once; one that is silent lacks a core.
    spec.launch.beat_limit_s = settings.seconds("heartbeat-limit", rms->logical() ? 30 : 5).value;
    spec.launch.orphan_limit_s = settings.seconds("orphan-limit", 60).value;
    spec.launch.leave_within_s = settings.seconds("leave-within", 30).value;
    if (spec.launch.beat_s < 0.05 || spec.launch.beat_limit_s < 2 * spec.launch.beat_s)
        throw InputError(
            "the heartbeat must be at least 0.05 s, and its limit at least twice that");
    if (!spec.mpi.can_launch_groups() && !spec.mpi.refused.empty())
        throw InputError("cannot run on this MPI: " + spec.mpi.refused + " (ask `ductile doctor`)");

    spec.options = settings.asked();
    spec.origin = wire::to_line(
        to_json(JobOrigin{settings.asked(), spec.launch, rms->allocation(), rms->logical()}));

    agent::remove_dead_directories(std::chrono::minutes(1));
    agent::RuntimeDirectory directory(spec.id);
    broker::Broker broker(std::move(spec), std::move(rms), directory.path(),
                          agent::journal_in(directory.path()));
    if (!id_file.empty()) write_small_file(id_file, job + "\n");
    return run_in(directory, broker);
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
    value("-n,--ranks", "ranks",
          "ranks to begin with (1); A:B: as many of them as there are slots for")
        ->type_name("N|A:B");
    value("--name", "name", "what all commands may call the job, instead of by its id");
    value("--id-file", "id-file", "write the job's id to this file once it can be asked")
        ->type_name("FILE");
    value("--hosts", "hosts", "file of hosts: `name [slots=N]` a line")->type_name("FILE");
    value("--rms-command", "rms-command",
          "a program that is asked for hosts, with its arguments (docs/resource-managers.md)")
        ->type_name("PROGRAM");
    value("--hosts-within", "hosts-within",
          "seconds that a resize waits for hosts that it has asked for (60; 0: no limit)");
    value("--local", "local", "K logical hosts of this machine (1)")
        ->type_name("K")
        ->expected(0, 1)
        ->default_str("1");
    value("--ranks-per-host", "ranks-per-host",
          "ranks that a host may hold (its slots); of --rms-command: that each of them needs");
    value("--min", "min", "never fewer ranks");
    value("--max", "max", "never more ranks");
    value("--preferred", "preferred", "ranks that a policy aims at");
    value("--multiple", "multiple", "only sizes that are a multiple of this");
    value("--inhibitor", "inhibitor", "no resize for so many seconds after one");
    value("--inhibitor-points", "inhibitor-points",
          "no resize for so many resize points after one");
    value("--method", "method",
          "merge (default): old ranks stay at a resize; baseline: all are started afresh; auto: "
          "what costs the program least");
    value(
        "--start", "start",
        "how new ranks are started: launch (default), or by ranks: collective, single, hypercube, "
        "diffusive; auto");
    value(
        "--overlap", "overlap",
        "while they start the program goes on (background, the default) or waits (blocking); auto");
    value("--join", "join",
          "new ranks are joined with the program's at the resize point (point, the default), or "
          "before it, while the program computes (background)");
    value("--redistribution", "redistribution",
          "how the data of distributed arrays move: by messages between pairs (p2p, the default), "
          "by collective calls (alltoallv), or read by those who will hold them (rma-lock, "
          "rma-lockall); auto: by what `ductile calibrate` has measured");
    value("--memory", "memory",
          "while data move a rank holds its old parts and its new ones, so that a resize can be "
          "undone (keep, the default), or hardly more than the larger of the two; a failure ends "
          "the job then (tight)");
    value("--rank-order", "rank-order",
          "new ranks are the last ones, and the last ones leave (append, the default), or both lie "
          "between those that stay, so that less data move (interleave)");
    value("--readiness", "readiness",
          "how groups of hypercube and diffusive hear that all are ready: from the broker (broker, "
          "the default), or from those who started them (tree)");
    value("--costs", "costs", "what `ductile calibrate` has measured, if it is not its own file")
        ->type_name("FILE");
    value("--remote-shell", "remote-shell",
          "how to run a command on a host, with {host} and {command} or {argv}");
    value("--mpi", "mpi",
          "run under the MPI in this prefix, of the same binary interface as the one that ductile "
          "was "
          "built for")
        ->type_name("PREFIX");
    value("--mpiexec", "mpiexec", "the launcher of the MPI that ductile was built for");
    value(
        "--shared-cores", "shared-cores",
        "ranks that wait give their core up to others: auto (default; where a host has more slots "
        "than this one has cores), yes, no");
    value("--leave-within", "leave-within",
          "seconds after which a rank that has left is killed (30)");
    value("--orphan-limit", "orphan-limit", "seconds that a host lives on its own (60)");
    value("--heartbeat", "heartbeat", "seconds between heartbeats (1)");
    value("--heartbeat-limit", "heartbeat-limit",
          "seconds of silence after which a host is lost (5; a logical one: 30)");
    value("--progress-within", "progress-within",
          "seconds without progress after which a switch is given up (5)");
    value("--vote-within", "vote-within",
          "seconds more after which a switch that hangs ends the job (10)");
    value("--redistribute-within", "redistribute-within",
          "seconds after which the program's own move of data is given up (600; 0: never)");
    value("--renew-after", "renew-after",
          "seconds without a request after which degraded ranks are replaced (10)");
    value("--events", "events", "write event records (JSON lines) to this file")->type_name("FILE");
    command->add_flag_callback(
        "--verify", [options] { options->given["verify"] = "true"; },
        "sum up the program's data before and after each resize; what differs calls it off");
    value("--check", "check",
          "find wrong uses of communicators and ranks that wait too long (docs/check.md); report: "
          "only say them")
        ->type_name("1|report")
        ->expected(0, 1)
        ->default_str("1");
    value("--check-after", "check-after",
          "seconds of waiting that --check takes for too long (10)");
    command->add_flag_callback(
        "--tag", [options] { options->given["tag"] = "true"; },
        "begin each line of output with its rank: [g2.1]");
    command->add_option("--env", options->environment, "set or pass on an environment variable")
        ->type_name("NAME[=VALUE]")
        ->allow_extra_args(false)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command->add_option("--config", options->config, "TOML file with options ($DUCTILE_CONFIG)")
        ->type_name("FILE");
    command
        ->add_option("--resume", options->resume,
                     "take over the job of a broker that died, as it was started")
        ->type_name("JOB");
    command->callback([options, program, &exit_code] { exit_code = run(*options, program); });
}

}  // namespace ductile::cli
