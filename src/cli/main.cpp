// The `ductile` program.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "cli/ask.hpp"
#include "cli/build_info.hpp"
#include "cli/calibrate.hpp"
#include "cli/command_line.hpp"
#include "cli/demo/demo_command.hpp"
#include "cli/doctor/doctor.hpp"
#include "cli/plan.hpp"
#include "cli/report_command.hpp"
#include "cli/run.hpp"
#include "cli/trees/trees_command.hpp"
#include "cluster/cluster_command.hpp"
#include "ductile/error.hpp"
#include "mpi/capabilities.hpp"

namespace {

// What is opened later would else get the number of a standard file that is closed, and be read or
// written in its place.
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
    const bool has_program = argc > 1 && std::strcmp(argv[1], "run") == 0;
    const auto split = ductile::cli::split_at_dashes(has_program ? argc : 1, argv);
    ductile::cli::add_run_command(app, split.after, exit_code);
    ductile::cli::add_resize_command(app, exit_code);
    ductile::cli::add_renew_command(app, exit_code);
    ductile::cli::add_watch_command(app, exit_code);
    ductile::cli::add_status_command(app, exit_code);
    ductile::cli::add_cancel_command(app, exit_code);
    ductile::cli::add_end_command(app, exit_code);
    ductile::cli::add_plan_command(app, exit_code);
    ductile::cli::add_calibrate_command(app, exit_code);
    ductile::cli::add_doctor_command(app, exit_code);
    ductile::cli::add_demo_command(app, exit_code);
    ductile::cli::add_report_command(app, exit_code);
    ductile::cli::add_trees_command(app, exit_code);
    ductile::cluster::add_cluster_command(app, exit_code);
    try {
        if (has_program)
            app.parse(std::vector<std::string>(split.before.rbegin(), split.before.rend()));
        else
            app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int code = app.exit(error);
        return code == 0 ? 0 : ductile::cli::exit_code::usage;
    }
    return exit_code;
}

/// A full disk is no success. (A reader that has closed its pipe has what it wanted.)
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
    try {
        return once_written(run(argc, argv));
    } catch (const ductile::InputError& error) {
        std::cerr << "ductile: " << error.what() << "\n";
        return ductile::cli::exit_code::usage;
    } catch (const std::exception& error) {
        std::cerr << "ductile: " << error.what() << "\n";
        return ductile::cli::exit_code::failed;
    }
}
