#include "cluster/cluster_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "cluster/client.hpp"
#include "cluster/names.hpp"
#include "cluster/print_cluster.hpp"
#include "cluster/remote_shell.hpp"
#include "cluster/slurm_config.hpp"
#include "cluster/slurm_packages.hpp"
#include "cluster/start_cluster.hpp"
#include "cluster/state_dir.hpp"
#include "ductile/error.hpp"
#include "wire/printable.hpp"

namespace ductile::cluster {
namespace {

/// The arguments of all subcommands.
struct Arguments {
    ClusterSpec spec;
    std::string name;
    std::string host;
    std::string method = "auto";
    std::string variable;
    std::vector<std::string> seen_command;  ///< as split by CLI11: only says if there is a command
    double connect_timeout_s = 15;
    pid_t owner = 0;
    bool slurm = false;
    std::vector<std::string> slurm_settings;
    bool console = false;
    bool json = false;
};

std::vector<std::string> words_after_dashes() {
    std::string line = read_file("/proc/self/cmdline");
    const Words all = line.empty() ? Words{} : split(line);
    const auto dashes = std::find(all.begin(), all.end(), "--");
    if (dashes == all.end() || dashes + 1 == all.end())
        throw InputError(
            "there is no command; write -- before it, as in `ductile cluster exec node01 -- "
            "hostname`");
    return {dashes + 1, all.end()};
}

void print(std::string_view text) {
    fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
}

int up(const Arguments& given) {
    ClusterSpec spec = given.spec;
    if (!given.name.empty()) spec.name = given.name;
    validate(spec);
    if (!given.slurm && !given.slurm_settings.empty())
        throw InputError("--slurm-set is for a cluster with a Slurm; add --slurm");
    if (given.slurm) {
        spec.slurm = SlurmSpec{{}, given.slurm_settings};
        validate(*spec.slurm);
        spec.slurm->packages = find_slurm_packages();
    }
    if (!given.seen_command.empty()) {
        RemoteCommand command{host_name(head), words_after_dashes()};
        hold_signals();
        const TiedCluster cluster(spec);
        try {
            return run_remote(cluster.state_dir(), command);
        } catch (const Error& error) {
            fmt::print(stderr, "ductile cluster: {}\n", wire::printable(error.what()));
            return no_connection;
        }
    }
    const std::string state_dir = start_lasting_cluster(spec, given.owner);
    fmt::print(
        stderr,
        "cluster {}: {} hosts, {} to {}; hosts file {}; `ductile cluster down --name {}` ends it\n",
        spec.name, spec.hosts, host_name(1), host_name(spec.hosts), slots_path(state_dir),
        spec.name);
    return 0;
}

int exec(const Arguments& given) {
    if (!(given.connect_timeout_s >= 0 && given.connect_timeout_s <= 86400))
        throw InputError("--connect-timeout is 0 to 86400 seconds");
    RemoteCommand command{given.host, words_after_dashes()};
    command.reach = given.console ? Reach::console : Reach::network;
    command.connect_within =
        std::chrono::milliseconds{static_cast<std::int64_t>(given.connect_timeout_s * 1000)};
    try {
        return run_remote(find_state_dir(given.name), command);
    } catch (const Error& error) {
        fmt::print(stderr, "ductile cluster exec: {}\n", wire::printable(error.what()));
        return no_connection;
    }
}

int ask_host(const Arguments& given, const char* verb) {
    Words request{verb, given.host};
    if (std::string_view(verb) == "freeze") request.push_back(given.method);
    ask(find_state_dir(given.name), request);
    return 0;
}

int status(const Arguments& given) {
    const std::string json = ask(find_state_dir(given.name), {"status"});
    print(given.json ? json : wire::printable(status_table(json)));
    return 0;
}

int ps(const Arguments& given) {
    const std::string json = ask(find_state_dir(given.name), {"ps", given.host, given.variable});
    print(given.json ? json : wire::printable(process_table(json)));
    return 0;
}

int hosts(const Arguments& given) {
    const std::string state_dir = find_state_dir(given.name);
    ask(state_dir, {"status"});  // throws if the cluster is not up: then its path is useless
    print(slots_path(state_dir));
    return 0;
}

int down(const Arguments& given) {
    take_down(find_state_dir(given.name));
    return 0;
}

/// Runs the subcommand. Prints errors and turns them into exit codes.
std::function<void()> guarded(int& exit_code, std::function<int()> action) {
    return [&exit_code, action = std::move(action)] {
        try {
            exit_code = action();
        } catch (const InputError& error) {
            fmt::print(stderr, "ductile cluster: {}\n", wire::printable(error.what()));
            exit_code = 2;
        } catch (const std::exception& error) {
            fmt::print(stderr, "ductile cluster: {}\n", wire::printable(error.what()));
            exit_code = 1;
        }
    };
}

}  // namespace

void add_cluster_command(CLI::App& app, int& exit_code) {
    CLI::App* cluster = app.add_subcommand(
        "cluster", "Manage virtual hosts on this machine, for tests and demonstrations");
    cluster->require_subcommand(1);
    const auto given = std::make_shared<Arguments>();
    const auto add = [&](const char* name, const char* help, int (*action)(const Arguments&)) {
        CLI::App* command = cluster->add_subcommand(name, help);
        command->add_option(
            "--name", given->name,
            "name of the cluster (default: the cluster of this process, or \"default\")");
        command->callback(guarded(exit_code, [given, action] { return action(*given); }));
        return command;
    };
    const auto add_for_host = [&](const char* name, const char* help,
                                  int (*action)(const Arguments&)) {
        CLI::App* command = add(name, help, action);
        command->add_option("HOST", given->host, "node01, node02, ...")->required();
        return command;
    };

    CLI::App* up_command =
        add("up", "start a cluster; with a command: run it on the head, then end the cluster", up);
    up_command->add_option("N", given->spec.hosts, "number of hosts, 1 to 64")->required();
    up_command->add_option("--cores", given->spec.cores, "number of cores that each host reports")
        ->capture_default_str();
    up_command->add_option("--owner", given->owner,
                           "end the cluster when the process with this pid ends");
    up_command->add_flag("--slurm", given->slurm, "run a separate Slurm on the hosts");
    up_command
        ->add_option(
            "--slurm-set", given->slurm_settings,
            "NAME=VALUE: a setting for slurm.conf, with --slurm; you can repeat this option")
        ->allow_extra_args(false);
    up_command->add_option("command", given->seen_command,
                           "after --: a command to run on the head");

    CLI::App* exec_command = add_for_host("exec", "run a command on a host, or on the head", exec);
    exec_command->add_flag("--console", given->console, "also reach a host that is cut off");
    exec_command
        ->add_option("--connect-timeout", given->connect_timeout_s,
                     "seconds to wait for a frozen or cut-off host")
        ->capture_default_str();
    exec_command->add_option("command", given->seen_command, "after --: the command")->required();

    add("down", "end a cluster", down);
    add_for_host("kill", "end all processes of a host",
                 [](const Arguments& a) { return ask_host(a, "kill"); });
    add_for_host("start", "start a killed host again",
                 [](const Arguments& a) { return ask_host(a, "start"); });
    add_for_host("freeze", "stop all processes of a host",
                 [](const Arguments& a) { return ask_host(a, "freeze"); })
        ->add_option("--by", given->method, "how to stop them: auto, cgroup or signals")
        ->capture_default_str();
    add_for_host("thaw", "let a frozen host continue",
                 [](const Arguments& a) { return ask_host(a, "thaw"); });
    add_for_host("cut", "drop all packets from and to a host",
                 [](const Arguments& a) { return ask_host(a, "cut"); });
    add_for_host("mend", "reconnect a host that is cut off",
                 [](const Arguments& a) { return ask_host(a, "mend"); });
    add("status", "show the hosts and their states", status)
        ->add_flag("--json", given->json, "print JSON");
    CLI::App* ps_command =
        add_for_host("ps", "show the processes of a host, from its own /proc", ps);
    ps_command->add_flag("--json", given->json, "print JSON");
    ps_command->add_option("--env", given->variable,
                           "show only processes with NAME=VALUE in their environment");
    add("hosts", "print the path of the hosts file, for `ductile run --hosts`", hosts);
}

}  // namespace ductile::cluster
