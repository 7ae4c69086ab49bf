#include "cli/doctor/doctor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/doctor/diagnosis.hpp"
#include "cli/doctor/diagnosis_text.hpp"
#include "cli/doctor/examine.hpp"
#include "cli/doctor/interruption.hpp"
#include "cli/doctor/mpi_installation.hpp"
#include "rms/self.hpp"
#include "wire/printable.hpp"

namespace ductile::cli {
namespace {

struct DoctorOptions {
    std::string prefix;
    bool json = false;
};

/// Build tree and install tree alike: bin/ductile beside share/ductile/probes.
std::filesystem::path probe_folder() {
    const auto program = std::filesystem::read_symlink("/proc/self/exe");
    return program.parent_path().parent_path() / "share" / "ductile" / "probes";
}

/// One line that is written over, for people who wait; nothing in a file or pipe.
void show_progress(const std::string& what) {
    if (isatty(STDERR_FILENO) == 0) return;
    fmt::print(stderr, "\r\033[K{}", what.empty() ? "" : "trying " + what);
    std::fflush(stderr);
}

int run_doctor(const DoctorOptions& chosen) {
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
    options.scratch_parent = std::filesystem::temp_directory_path();
    options.progress = show_progress;

    const Interruption interruption;
    options.cancel_on = interruption.descriptor();
    try {
        const Diagnosis diagnosis = diagnose(examine(options));
        fmt::print("{}", chosen.json ? as_json(diagnosis, options.prefix)
                                     : wire::printable(as_text(diagnosis, options.prefix)));
        return diagnosis.usable() ? 0 : 1;
    } catch (const ExaminationCancelled&) {
        show_progress("");
        return 128 + interruption.signal();
    } catch (const std::exception& error) {
        show_progress("");
        fmt::print(stderr, "ductile doctor: {}\n", wire::printable(error.what()));
        return 2;
    }
}

}  // namespace

void add_doctor_command(CLI::App& app, int& exit_code) {
    const auto chosen = std::make_shared<DoctorOptions>();
    auto* doctor = app.add_subcommand(
        "doctor", "Try out what an MPI can do, and say what to do where it cannot");
    doctor
        ->add_option("--mpi", chosen->prefix, "prefix of the MPI (holds bin/mpicc and bin/mpiexec)")
        ->type_name("PREFIX");
    doctor->add_flag("--json", chosen->json, "print one JSON object instead of text");
    doctor->callback([chosen, &exit_code] { exit_code = run_doctor(*chosen); });
}

}  // namespace ductile::cli
