#include "cli/doctor/doctor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/doctor/diagnosis.hpp"
#include "cli/doctor/diagnosis_text.hpp"
#include "cli/doctor/examine.hpp"
#include "cli/doctor/interruption.hpp"
#include "cli/doctor/mpi_installation.hpp"
#include "cli/doctor/slurm_findings.hpp"
#include "cli/doctor/slurm_trial.hpp"
#include "cli/private_folder.hpp"
#include "cli/site_file.hpp"
#include "rms/self.hpp"
#include "wire/printable.hpp"

namespace ductile::cli {
namespace {

struct DoctorOptions {
    std::string prefix;
    bool json = false;
    bool slurm = false;
    std::string partition, account;
    std::string site;
};

/// share/ductile/probes, in the folder that holds bin/ductile: a build tree or an install tree.
std::filesystem::path probe_folder() {
    const auto program = std::filesystem::read_symlink("/proc/self/exe");
    return program.parent_path().parent_path() / "share" / "ductile" / "probes";
}

/// Updates one line for a waiting person. Writes nothing if standard error is not a terminal.
void show_progress(const std::string& what) {
    if (isatty(STDERR_FILENO) == 0) return;
    fmt::print(stderr, "\r\033[K{}", what.empty() ? "" : "trying " + what);
    std::fflush(stderr);
}

/// Calls `examine` with a descriptor that becomes readable on Ctrl-C. Returns the exit code.
template <class Examine>
int interruptible(Examine examine) {
    const Interruption interruption;
    try {
        const int code = examine(interruption.descriptor());
        return interruption.signal() == 0 ? code : 128 + interruption.signal();
    } catch (const ExaminationCancelled&) {
        show_progress("");
        return 128 + interruption.signal();
    } catch (const std::exception& error) {
        show_progress("");
        fmt::print(stderr, "ductile doctor: {}\n", wire::printable(error.what()));
        return 2;
    }
}

/// Empty if the user names no file and the standard one is not there.
std::string site_file_of(const DoctorOptions& chosen) {
    if (!chosen.site.empty()) return chosen.site;
    const char* named = std::getenv("DUCTILE_SITE");  // as for `ductile run`
    if (named != nullptr && *named != '\0') return named;
    return ::access(standard_site_file, F_OK) == 0 ? standard_site_file : "";
}

int run_slurm_doctor(const DoctorOptions& chosen) {
    return interruptible([&](int cancel_on) {
        const auto findings = slurm_findings(examine_slurm({.partition = chosen.partition,
                                                            .account = chosen.account,
                                                            .site_file = site_file_of(chosen),
                                                            .cancel_on = cancel_on,
                                                            .progress = show_progress}));
        const bool usable = is_usable(findings);
        fmt::print("{}", chosen.json ? as_json(findings)
                                     : wire::printable("Slurm\n" + as_text(findings) +
                                                       (usable ? "Jobs can grow and shrink here.\n"
                                                               : "Jobs cannot grow here.\n")));
        return usable ? 0 : 1;
    });
}

int run_doctor(const DoctorOptions& chosen) {
    if (chosen.slurm) return run_slurm_doctor(chosen);
    ExamineOptions options;
    options.environment = rms::current_environment();
    options.prefix = chosen.prefix.empty()
                         ? default_prefix(DUCTILE_DEFAULT_MPI, options.environment["PATH"])
                         : chosen.prefix;
    if (!options.prefix.empty())
        options.prefix = std::filesystem::absolute(options.prefix).string();
    options.library = DUCTILE_DEFAULT_MPI_LIBRARY;
    options.built_for = DUCTILE_DEFAULT_MPI;
    options.probe_sources = probe_folder();
    options.probe_ranks = rms::companion("probe-ranks");
    options.scratch_parent = temporary_parent();
    options.progress = show_progress;

    return interruptible([&](int cancel_on) {
        options.cancel_on = cancel_on;
        const Diagnosis diagnosis = diagnose(examine(options));
        fmt::print("{}", chosen.json ? as_json(diagnosis, options.prefix)
                                     : wire::printable(as_text(diagnosis, options.prefix)));
        return diagnosis.usable() ? 0 : 1;
    });
}

}  // namespace

void add_doctor_command(CLI::App& app, int& exit_code) {
    const auto chosen = std::make_shared<DoctorOptions>();
    auto* doctor = app.add_subcommand(
        "doctor",
        "Test whether Ductile can use an MPI or a Slurm, and say how to mend each failure\n"
        "Exit code: 0 Ductile can use it, 1 it cannot, 2 doctor cannot run");
    doctor
        ->add_option("--mpi", chosen->prefix, "prefix of the MPI (holds bin/mpicc and bin/mpiexec)")
        ->type_name("PREFIX");
    doctor->add_flag("--json", chosen->json, "print JSON");
    auto* slurm = doctor->add_flag("--slurm", chosen->slurm,
                                   "test the Slurm of this machine in place of an MPI: submit a "
                                   "job of one host, use it, cancel it");
    doctor
        ->add_option("--partition", chosen->partition,
                     "with --slurm: submit the job to this partition")
        ->needs(slurm);
    doctor
        ->add_option("--account", chosen->account, "with --slurm: submit the job with this account")
        ->needs(slurm);
    doctor
        ->add_option("--site", chosen->site,
                     std::string("with --slurm: the file that says where the ductiled of the site "
                                 "is (") +
                         standard_site_file + ")")
        ->type_name("FILE")
        ->needs(slurm);
    doctor->callback([chosen, &exit_code] { exit_code = run_doctor(*chosen); });
}

}  // namespace ductile::cli
