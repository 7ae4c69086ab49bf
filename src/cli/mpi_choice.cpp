#include "cli/mpi_choice.hpp"

#include <unistd.h>
#include <cstdlib>

#include <filesystem>

#include "cli/build_info.hpp"
#include "cli/doctor/mpi_installation.hpp"
#include "ductile/error.hpp"
#include "rms/command.hpp"
#include "rms/command_environment.hpp"

namespace ductile::cli {

namespace {

namespace fs = std::filesystem;

std::string launcher_in(const fs::path& prefix) {
    std::error_code none;
    for (const char* name : {"mpiexec.hydra", "mpiexec"}) {
        const auto path = prefix / "bin" / name;
        if (fs::is_regular_file(path, none) && ::access(path.c_str(), X_OK) == 0)
            return path.string();
    }
    throw InputError("there is no MPI in " + prefix.string() + ": it has no bin/mpiexec");
}

// The folder of the MPI library. The library must have the file name that programs of this build
// look for.
std::string expect_library_in(const fs::path& prefix) {
    auto folder = library_folder_in(prefix.string(), build_info::mpi_soname);
    if (!folder.empty()) return folder;
    throw InputError("the MPI in " + prefix.string() +
                     " cannot be used with this Ductile, which was "
                     "built for " +
                     build_info::mpi_soname +
                     ": that MPI has no such library; "
                     "build Ductile for that MPI: ./scripts/setup -DMPI_HOME=" +
                     prefix.string());
}

std::string version_text_of(const std::string& mpiexec) {
    rms::Command ask;
    ask.arguments = {mpiexec, "--version"};
    ask.environment = rms::without_launcher_variables(rms::current_environment());
    ask.deadline = std::chrono::seconds(20);
    const auto said = rms::run_command(ask);
    if (!said.succeeded())
        throw InputError(mpiexec + " does not report its version (" + how_it_ended(ask, said) +
                         ")");
    return said.out;
}

// Names the MPI's folders in the environment of its processes. The names have no slash at the end:
// Open MPI compares them as texts, and hangs if two texts for one folder differ.
void name_folders(mpi::Capabilities& can, const fs::path& prefix) {
    for (const auto& [name, below] : can.prefix_environment) {
        const auto folder = (prefix / below).lexically_normal();
        std::error_code unknown;
        if (!fs::is_directory(folder, unknown)) continue;
        can.environment[name] = (folder.has_filename() ? folder : folder.parent_path()).string();
    }
}

}  // namespace

MpiChoice choose_mpi(const std::string& prefix) {
    if (prefix.empty()) {
        MpiChoice built_in{
            mpi::known_capabilities(build_info::mpi_version_text), build_info::mpiexec, {}};
        // Variables that the user has set for this MPI stay unchanged. name_folders() leaves out
        // folders that this MPI does not have at the usual place.
        std::erase_if(built_in.capabilities.prefix_environment, [](const auto& folder) {
            return std::getenv(folder.first.c_str()) != nullptr;
        });
        std::error_code unknown;
        const auto launcher = fs::canonical(built_in.mpiexec, unknown);
        if (!unknown) name_folders(built_in.capabilities, launcher.parent_path().parent_path());
        return built_in;
    }
    const auto home = fs::absolute(prefix).lexically_normal();
    MpiChoice choice;
    choice.mpiexec = launcher_in(home);
    choice.library_path = expect_library_in(home);
    choice.capabilities = mpi::known_capabilities(version_text_of(choice.mpiexec));
    name_folders(choice.capabilities, home);
    return choice;
}

}  // namespace ductile::cli
