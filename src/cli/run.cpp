#include "cli/run.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "agent/bootstrap.hpp"
#include "agent/runtime_directory.hpp"
#include "broker/broker.hpp"
#include "broker/host_table.hpp"
#include "cli/build_info.hpp"
#include "cli/command_line.hpp"
#include "cli/exec_limits.hpp"
#include "cli/job_origin.hpp"
#include "cli/job_spec_options.hpp"
#include "cli/launch_context.hpp"
#include "cli/launch_environment.hpp"
#include "cli/mpi_choice.hpp"
#include "cli/output_place.hpp"
#include "cli/preload_checks.hpp"
#include "cli/resource_manager_choice.hpp"
#include "cli/settings.hpp"
#include "cli/site_file.hpp"
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

// If broker.run() returns, the job has ended, and the journal is removed. If it throws, the journal
// is kept, unless the job never began.
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

/// Under --policy site, reads where ductiled is. Throws InputError if the job has no Slurm job:
/// ductiled decides for these alone.
void ask_site(Settings& settings, const std::optional<rms::SlurmJob>& slurm_job,
              broker::PolicySpec& policy) {
    if (policy.kind != policy::Kind::site) return;
    if (!slurm_job)
        throw InputError(
            "--policy site needs hosts from Slurm: start the job with `ductile submit`, or inside "
            "a Slurm job");
    policy.site = {read_site_file(settings.text("site", standard_site_file)).address,
                   policy::SiteJobId{slurm_job->value}};
}

// Takes over the job of a broker that died.
int resume(const RunOptions& options, const std::vector<std::string>& program) {
    if (!program.empty() || !options.given.empty() || !options.environment.empty() ||
        !options.config.empty())
        throw InputError(
            "--resume takes no other option and no program: the job keeps those of its start");
    os::hide_memory();
    const auto job = id_of_job(options.resume);
    const auto path = agent::runtime_parent() + "/" + job;
    // Throws if users other than this one can access the directory or its parent.
    if (const auto parent = agent::find_runtime_parent())
        static_cast<void>(parent->find_child(job));
    auto journal = broker::Journal::reopen(agent::journal_in(path));
    // If held_hosts() throws, nothing has changed.
    const auto held = broker::held_hosts(journal.snapshot().hosts);
    const auto origin = origin_in(journal, job);
    Settings settings(origin.settings);
    const auto mpi = choose_mpi(settings.text("mpi", ""));
    auto spec = read_spec(settings, mpi.capabilities);
    try {
        ask_site(settings, origin.slurm_job, spec.policy);
    } catch (const InputError& error) {  // the job is worth more than its policy
        fmt::print(stderr, "ductile: {}; the job goes on without its policy\n", error.what());
    }
    spec.id = job;
    spec.launch = origin.launch;
    spec.options = origin.settings;
    auto rms = resource_manager_of(settings, origin, job, held);
    ::unlink((path + "/" + broker::socket_name).c_str());
    broker::Broker broker(std::move(spec), std::move(rms), path, agent::journal_in(path),
                          std::move(journal));
    // From here on this broker owns the job. The directory is removed with the job.
    agent::RuntimeDirectory directory(job, agent::RuntimeDirectory::Contents::kept);
    return run_in(directory, broker);
}

/// `mpiexec -n 2 a : -n 3 b` starts two programs.
void expect_one_program(const std::vector<std::string>& words) {
    const auto is_number = [](const std::string& word) {
        return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
    };
    for (std::size_t i = 0; i + 2 < words.size(); ++i)
        if (words[i] == ":" && (words[i + 1] == "-n" || words[i + 1] == "-np") &&
            is_number(words[i + 2]))
            throw InputError(
                "the words after -- hold ': " + words[i + 1] +
                "', with which mpiexec starts several programs: a job of Ductile has one program, "
                "which may choose by its rank what it does, or start others by MPI_Comm_spawn");
}

SharedCores shared_cores(Settings& settings) {
    const auto asked = settings.choice("shared-cores", "auto", {"auto", "yes", "no"});
    return asked == "auto"  ? SharedCores::by_host
           : asked == "yes" ? SharedCores::yes
                            : SharedCores::no;
}

int run(const RunOptions& options, const std::vector<std::string>& program) {
    os::hide_memory();
    if (!options.resume.empty()) return resume(options, program);
    if (program.empty())
        throw InputError("nothing to run: ductile run [options] -- program [arguments]");
    expect_one_program(program);
    Settings settings(options.given, options.config);
    const auto mpi = choose_mpi(settings.text("mpi", ""));
    const auto job = make_job_id(settings.text("name", ""));
    const auto id_file = settings.text("id-file", "");
    expect_place_for("--id-file", id_file);
    auto [rms, slurm_job] =
        make_resource_manager(settings, settings.sizes("ranks", {}, most_ranks).lower, job);
    auto spec = read_spec(settings, mpi.capabilities);
    ask_site(settings, slurm_job, spec.policy);
    for (const auto& words : {spec.policy.command, spec.power.command})
        if (!words.empty()) static_cast<void>(find_program(words.front()));  // throws
    spec.id = job;
    spec.launch = capture_context(spec.mpi, settings.text("mpiexec", mpi.mpiexec),
                                  options.environment, shared_cores(settings));
    if (!mpi.library_path.empty()) put_first(spec.launch, "LD_LIBRARY_PATH", mpi.library_path);
    preload_checks(settings, spec.launch);
    preload_mpi_time(settings, spec.policy, spec.launch);
    const auto& power = spec.power;
    spec.launch.meters_power = power.is_measured && power.watts == 0 && power.command.empty();
    share_no_memory_under_odd_umask(spec.launch, spec.mpi);
    if (rms->logical()) add_environment(spec.launch, {{plan::one_machine_variable, "1"}});
    spec.launch.program = program;
    spec.launch.program.front() = find_program(program.front());
    expect_exec_takes(spec.launch.program, spec.launch.environment);
    spec.launch.heartbeat_s = settings.seconds("heartbeat", 1).value;
    // Logical hosts are on this machine, where Ductile notices the death of an agent immediately.
    // So an agent that sends no heartbeat for a while is alive and waits for a core.
    spec.launch.heartbeat_limit_s =
        settings.seconds("heartbeat-limit", rms->logical() ? 30 : 5).value;
    spec.launch.orphan_limit_s = settings.seconds("orphan-limit", 60).value;
    spec.launch.leave_within_s = settings.seconds("leave-within", 30).value;
    if (spec.launch.heartbeat_s < 0.05 ||
        spec.launch.heartbeat_limit_s < 2 * spec.launch.heartbeat_s)
        throw InputError(
            "--heartbeat must be at least 0.05 s, and --heartbeat-limit at least twice "
            "--heartbeat");
    if (!spec.mpi.can_launch_groups() && !spec.mpi.refused.empty())
        throw InputError("cannot run on this MPI: " + spec.mpi.refused + " (ask `ductile doctor`)");

    spec.options = settings.asked();
    spec.origin = wire::to_line(to_json(
        JobOrigin{settings.asked(), spec.launch, rms->allocation(), rms->logical(), slurm_job}));

    agent::remove_dead_directories(std::chrono::minutes(1));
    agent::RuntimeDirectory directory(spec.id);
    broker::Broker broker(std::move(spec), std::move(rms), directory.path(),
                          agent::journal_in(directory.path()));
    if (!id_file.empty()) write_small_file(id_file, job + "\n");
    return run_in(directory, broker);
}

}  // namespace

void add_run_command(CLI::App& app, const std::vector<std::string>& program, int& exit_code) {
    auto* command =
        app.add_subcommand("run", "Start a program as a job: ductile run [options] -- program ...");
    auto options = std::make_shared<RunOptions>();
    const auto value = [command, options](const std::string& flags, const std::string& key,
                                          const std::string& help) {
        return command->add_option_function<std::string>(
            flags, [options, key](const std::string& text) { options->given[key] = text; }, help);
    };
    value("-n,--ranks", "ranks",
          "ranks at the start (1); A:B: from A to B ranks, as many as there are slots for")
        ->type_name("N|A:B");
    value("--name", "name", "a name for the job: commands accept it, or the job's id");
    value("--id-file", "id-file",
          "write the job's id to this file as soon as commands can find the job")
        ->type_name("FILE");
    value("-f,--hosts", "hosts",
          "file of hosts, one `NAME [slots=N]` or NAME:N on each line; -: the standard input")
        ->type_name("FILE");
    value(
        "--rms-command", "rms-command",
        "a program, with its arguments, that provides hosts on request (docs/resource-managers.md)")
        ->type_name("PROGRAM");
    value("--slurm-job", "slurm-job",
          "use the hosts of this Slurm job; to grow, Ductile submits more Slurm jobs of one host "
          "each; without JOB: the Slurm job in which `ductile run` runs; inside a Slurm job this "
          "is the default if no other option names hosts")
        ->type_name("JOB")
        ->expected(0, 1)
        ->default_str("here");
    value("--shrink-slurm-job", "shrink-slurm-job",
          "whether hosts of the Slurm job itself are given back, and not only those of added Slurm "
          "jobs: auto (the default) if the Slurm is 24.05 or newer, yes also with an older Slurm, "
          "whose slurmctld may crash, or no");
    value("--slurm-growth", "slurm-growth",
          "what becomes of the hosts of added Slurm jobs: they stay in these jobs (sidecars, the "
          "default), or are merged into the Slurm job of `ductile run` (merge), if this Slurm can "
          "do this and let them leave again");
    value("--hosts-within", "hosts-within",
          "seconds for which a resize waits for requested hosts (60; 0: no limit)");
    value("--local", "local", "divide this machine into K logical hosts (1)")
        ->type_name("K")
        ->expected(0, 1)
        ->default_str("1");
    value("--ranks-per-host", "ranks-per-host",
          "how many ranks each host may hold (default: its slots); a requested host must have at "
          "least this number of slots");
    value("--min", "min", "the job never has fewer ranks than this");
    value("--max", "max", "the job never has more ranks than this");
    value("--preferred", "preferred", "the size that --policy preferred tries to keep");
    value("--policy", "policy",
          "who resizes the job: only people and the program (manual, the default), or also a "
          "policy: natural (use all idle hosts, make room for waiting jobs), preferred (keep the "
          "size of --preferred), efficiency (keep --efficiency), energy (least energy and time) or "
          "site (ductiled decides for all "
          "jobs of the site) (docs/policies.md)");
    value("--site", "site",
          std::string("the file that says where the ductiled of --policy site is (") +
              standard_site_file + ")")
        ->type_name("FILE");
    value(
        "--efficiency", "efficiency",
        "the efficiency that --policy efficiency tries to keep, above 0 and up to 1: the fraction "
        "of its time that the busiest rank spends outside MPI (0.8)");
    value("--efficiency-band", "efficiency-band",
          "how far the efficiency may be from --efficiency before the job is resized (0.05)");
    command->add_flag_callback(
        "--measure-efficiency", [options] { options->given["measure-efficiency"] = "true"; },
        "measure the efficiency, and tell it to the program of --policy-command");
    value(
        "--energy-delay", "energy-delay",
        "what --policy energy makes small is energy * time^W of an iteration: W = 0 (the energy), "
        "1 (the energy-delay product, the default), 2, ...")
        ->type_name("W");
    value("--host-power", "host-power",
          "the power of each host, in watts, if it is not measured (docs/policies.md)")
        ->type_name("WATTS");
    value("--power-command", "power-command",
          "a program, with its arguments, that reports the power of the hosts (docs/policies.md)")
        ->type_name("PROGRAM");
    command->add_flag_callback(
        "--measure-energy", [options] { options->given["measure-energy"] = "true"; },
        "measure the energy, and tell it to the program of --policy-command");
    value("--policy-command", "policy-command",
          "a program, with its arguments, that decides when the job grows and shrinks, instead of "
          "--policy (docs/policies.md)")
        ->type_name("PROGRAM");
    value("--policy-every", "policy-every", "seconds between the decisions of the policy (5)");
    value("--multiple", "multiple", "the job has only sizes that are multiples of this number");
    value("--inhibitor", "inhibitor", "seconds that must pass after a resize before the next one");
    value("--inhibitor-points", "inhibitor-points",
          "number of resize points that must pass after a resize before the next one");
    value("--method", "method",
          "merge (default): old ranks stay at a resize; baseline: all ranks are started afresh; "
          "auto: the method that costs the program the least time; with auto, Ductile also chooses "
          "the start, the overlap and the redistribution, unless you give them");
    value("--start", "start",
          "how new ranks are started: by agents (launch, the default), or by ranks of the job "
          "(collective, the default under Open MPI; single, hypercube, diffusive); auto: the start "
          "that costs the least");
    value("--overlap", "overlap",
          "while new ranks start, the program continues (background, the default) or waits "
          "(blocking); auto: the cheaper one");
    value("--join", "join",
          "new ranks and the program's ranks become one communicator at the resize point (point, "
          "the default), or earlier, while the program computes (background)");
    value("--redistribution", "redistribution",
          "how the data of distributed arrays moves: by messages between pairs of ranks (p2p, the "
          "default), by collective calls (alltoallv), or by one-sided reads (rma-lock, "
          "rma-lockall); auto: the fastest way in the measurements of `ductile calibrate`");
    value("--memory", "memory",
          "keep (default): while data moves, a rank holds its old and its new parts, so a resize "
          "that starts new ranks is undone if it fails; tight: a rank holds little more than the "
          "larger of its old and its new parts, and a failure while data moves ends the job");
    value("--rank-order", "rank-order",
          "append (default): new ranks are the last ranks, and the last ranks leave; interleave: "
          "new ranks and leaving ranks lie between the ranks that stay, so less data moves");
    value(
        "--readiness", "readiness",
        "with --start hypercube or diffusive: how the new ranks of each host learn that all new "
        "ranks are ready: from `ductile run` (broker, the default), or from the ranks that started "
        "them (tree)");
    value("--costs", "costs",
          "file of costs to use, instead of the file that `ductile calibrate` writes for this user")
        ->type_name("FILE");
    value("--remote-shell", "remote-shell",
          "how to start a command on a host: a command line with {host}, and with {command} or "
          "{argv} for the command");
    value(
        "--mpi", "mpi",
        "use the MPI in this prefix; it must be compatible (by its ABI) with the MPI that ductile "
        "was built for")
        ->type_name("PREFIX");
    value("--mpiexec", "mpiexec",
          "launcher for Open MPI, instead of the launcher in the prefix of the MPI");
    value("--shared-cores", "shared-cores",
          "whether a waiting rank gives its core to other processes: yes, no, or auto (the "
          "default). auto means yes if a host has more slots than this machine has cores; logical "
          "hosts count together");
    value("--leave-within", "leave-within",
          "seconds after which Ductile kills a rank that has left the job and still runs (30)");
    value(
        "--orphan-limit", "orphan-limit",
        "seconds after which a host without `ductile run` ends its ranks, if one of these lasts so "
        "long: the host of `ductile run` cannot be reached; a rank has failed; not all hosts of "
        "the job reach each other; under Intel MPI, a rank is inside MPI_Comm_spawn (60)");
    value("--heartbeat", "heartbeat", "seconds between heartbeats (1)");
    value("--heartbeat-limit", "heartbeat-limit",
          "seconds without a heartbeat after which a host is lost (5; a logical host: 30)");
    value("--progress-within", "progress-within",
          "seconds without progress after which a resize is given up at its resize point (5)");
    value("--vote-within", "vote-within",
          "seconds that the ranks have, after --progress-within, to give the resize up; if they "
          "need longer, the job ends (10)");
    value("--redistribute-within", "redistribute-within",
          "seconds that functions of Schema::on_redistribute may take; then the resize is rolled "
          "back, or the job is ended (600; 0: no limit)");
    value("--renew-after", "renew-after",
          "if a thread of a rank is stuck inside MPI: seconds without a resize after which Ductile "
          "replaces all ranks by new ones (10)");
    value("--events", "events", "write event records (JSON lines) to this file")->type_name("FILE");
    command->add_flag_callback(
        "--verify", [options] { options->given["verify"] = "true"; },
        "compute checksums of the data before and after it moves; a difference rolls the resize "
        "back, "
        "or ends the job if the data moves after the commit (a shrink, parked ranks that come "
        "back, --memory tight)");
    value(
        "--check", "check",
        "find wrong uses of communicators and of array memory, and ranks that wait too long "
        "(docs/check.md). 1 (the value if you give none): end the job at a wrong use; report: only "
        "report it (a use of old or frozen memory ends the job in any case)")
        ->type_name("1|report")
        ->expected(0, 1)
        ->default_str("1");
    value("--check-after", "check-after",
          "seconds of waiting after which --check reports a rank (10)");
    command->add_flag_callback(
        "--tag", [options] { options->given["tag"] = "true"; },
        "begin each line of output with the world and the rank that wrote it: [g2.1]");
    command->add_flag_callback(
        "--unbuffered", [options] { options->given["unbuffered"] = "true"; },
        "show what a rank writes after 0.2 s at most, also before its line is complete; without "
        "this option, a job of several ranks shows whole lines, except on a terminal");
    value("--stdin", "stdin",
          "who reads the standard input of `ductile run`: rank 0 (rank0, the default), or nobody "
          "(none): in a loop that itself reads the input, for example")
        ->type_name("rank0|none");
    command
        ->add_option("--env", options->environment,
                     "set an environment variable for the program; without =VALUE: pass on its "
                     "value from the environment of `ductile run`")
        ->type_name("NAME[=VALUE]")
        ->allow_extra_args(false)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command->add_option("--config", options->config, "TOML file with options ($DUCTILE_CONFIG)")
        ->type_name("FILE");
    command
        ->add_option("--resume", options->resume,
                     "take over this job, whose `ductile run` died, with the options of its start")
        ->type_name("JOB");
    command->callback([options, program, &exit_code] { exit_code = run(*options, program); });
}

}  // namespace ductile::cli
