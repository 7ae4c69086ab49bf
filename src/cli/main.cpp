// The `ductile` program.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string_view>

#include "cli/argument_checks.hpp"
#include "cli/ask.hpp"
#include "cli/build_info.hpp"
#include "cli/calibrate.hpp"
#include "cli/command_line.hpp"
#include "cli/demo/demo_command.hpp"
#include "cli/doctor/doctor.hpp"
#include "cli/nested/nested_slurm.hpp"
#include "cli/plan.hpp"
#include "cli/report_command.hpp"
#include "cli/run.hpp"
#include "cli/submit.hpp"
#include "cli/trees/trees_command.hpp"
#include "cli/workload/workload_command.hpp"
#include "cluster/cluster_command.hpp"
#include "ductile/error.hpp"
#include "mpi/capabilities.hpp"
#include "os/signals.hpp"
#include "wire/printable.hpp"

namespace {

/// Whether this is a command whose options end at `--`: CLI11 does not see the words after it.
bool names_a_program(int argc, char** argv) {
    constexpr std::array<std::string_view, 3> commands{"run", "submit", "nested-slurm"};
    return argc > 1 && std::ranges::find(commands, argv[1]) != commands.end();
}

/// Whether the words after `--` are another program.
bool is_given_a_program(int argc, char** argv) {
    const auto is_word = [&](int i, const char* word) {
        return argc > i && std::strcmp(argv[i], word) == 0;
    };
    return names_a_program(argc, argv) ||
           (is_word(1, "cluster") && (is_word(2, "exec") || is_word(2, "up")));
}

/// Throws if one of Ductile's own arguments is empty, or is a word that CLI11 would take for -h.
void check_arguments(int argc, char** argv) {
    const bool program_follows = is_given_a_program(argc, argv);
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (program_follows && word == "--") return;
        if (word.starts_with("-h") && word.size() > 2)  // mpiexec's -hosts, -host, -hostfile
            throw ductile::InputError("there is no option '" + std::string(word.substr(0, 64)) +
                                      "'; --hosts FILE names hosts, and `ductile " + argv[1] +
                                      " --help` lists the options");
        const bool empty_value = word.starts_with("--") && word.find('=') == word.size() - 1;
        if (word.empty() || empty_value)
            throw ductile::InputError(word.empty()
                                          ? "argument " + std::to_string(i) +
                                                " is empty (a shell variable that is not set?); "
                                                "leave it out, or give it a value"
                                          : "option " + std::string(word) + " has an empty value");
    }
}

/// Throws an error that names an unknown command or option. For an unknown command, CLI11 only
/// reports that a command is missing.
void expect_known_command(CLI::App* app, int argc, char** argv) {
    std::string so_far = "ductile";
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        const auto commands = app->get_subcommands([](CLI::App*) { return true; });
        if (commands.empty()) return;
        if (name.starts_with('-')) {
            if (app->get_option_no_throw(name.substr(0, name.find('='))) != nullptr) return;
            throw ductile::InputError("there is no option '" + name.substr(0, 64) + "'; `" +
                                      so_far + " --help` lists the options and commands");
        }
        const auto next = std::ranges::find_if(
            commands, [&name](CLI::App* command) { return command->check_name(name); });
        if (next == commands.end())
            throw ductile::InputError("there is no command '" + name.substr(0, 64) + "'; `" +
                                      so_far + " --help` lists the commands");
        app = *next;
        so_far += " " + name;
    }
}

// Refuses a word between the command, such as `ductile run`, and the program.
[[noreturn]] void refuse_before_program(const std::string& command, const std::string& word) {
    if (word.starts_with('-'))
        throw ductile::InputError("there is no option '" + word + "'; `ductile " + command +
                                  " --help` lists the options");
    throw ductile::InputError("'" + word + "' is no option of `ductile " + command +
                              "`; the program comes after `--`: ductile " + command +
                              " [options] -- program [arguments]");
}

// Opens closed standard files as /dev/null. Otherwise a file that is opened later gets descriptor
// 0, 1 or 2, and the program uses it as standard input, output or error.
void hold_standard_files() {
    int fd = 0;
    do fd = ::open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0) ::close(fd);
}

int run(int argc, char** argv) {
    CLI::App app{"Ductile: MPI jobs that grow and shrink while they run"};
    app.name("ductile");
    namespace info = ductile::cli::build_info;
    app.set_version_flag(
        "--version", std::string("ductile ") + info::version + " (" +
                         ductile::mpi::known_capabilities(info::mpi_version_text).implementation +
                         " " + info::mpi_version + ")");
    app.require_subcommand(1);
    int exit_code = ductile::cli::exit_code::ok;
    const bool has_program = names_a_program(argc, argv);
    const auto split = ductile::cli::split_at_dashes(has_program ? argc : 1, argv);
    ductile::cli::add_run_command(app, split.after, exit_code);
    ductile::cli::add_submit_command(app, split.after);
    ductile::cli::add_nested_slurm_command(app, split.after, exit_code);
    ductile::cli::add_resize_command(app, exit_code);
    ductile::cli::add_renew_command(app, exit_code);
    ductile::cli::add_watch_command(app, exit_code);
    ductile::cli::add_status_command(app, exit_code);
    ductile::cli::add_explain_command(app, exit_code);
    ductile::cli::add_cancel_command(app, exit_code);
    ductile::cli::add_end_command(app, exit_code);
    ductile::cli::add_plan_command(app, exit_code);
    ductile::cli::add_calibrate_command(app, exit_code);
    ductile::cli::add_doctor_command(app, exit_code);
    ductile::cli::add_demo_command(app, exit_code);
    ductile::cli::add_report_command(app, exit_code);
    ductile::cli::add_trees_command(app, exit_code);
    ductile::cli::add_workload_command(app, exit_code);
    ductile::cluster::add_cluster_command(app, exit_code);
    check_arguments(argc, argv);
    expect_known_command(&app, argc, argv);
    try {
        if (has_program)
            app.parse(std::vector<std::string>(split.before.rbegin(), split.before.rend()));
        else
            app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (has_program && dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
            refuse_before_program(argv[1], app.remaining(true).front().substr(0, 64));
        std::ostringstream out, err;
        app.failure_message([](const CLI::App*, const CLI::Error& refused) {
            return ductile::cli::refusal_text(refused);
        });
        const int code = app.exit(error, out, err);
        std::cout << ductile::wire::printable(out.str());
        std::cerr << ductile::wire::printable(err.str());
        return code == 0 ? 0 : ductile::cli::exit_code::usage;
    }
    return exit_code;
}

/// The exit code after all output is written. A full disk is an error. A closed pipe is not an
/// error, because its reader does not want more output.
int once_written(int code) {
    errno = 0;
    if (std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    if (errno == EPIPE) return code;
    std::cerr << "ductile: cannot write all of the standard output: " << std::strerror(errno)
              << "\n";
    return code == ductile::cli::exit_code::ok ? ductile::cli::exit_code::failed : code;
}

}  // namespace

int main(int argc, char** argv) {
    hold_standard_files();
    ductile::os::unblock_signals();
    // If a file reaches its size limit (ulimit -f), the write returns an error, as on a full disk.
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        return once_written(run(argc, argv));
    } catch (const ductile::InputError& error) {
        std::cerr << "ductile: " << ductile::wire::printable(error.what()) << "\n";
        return ductile::cli::exit_code::usage;
    } catch (const std::exception& error) {
        std::cerr << "ductile: " << ductile::wire::printable(error.what()) << "\n";
        return ductile::cli::exit_code::failed;
    }
}
