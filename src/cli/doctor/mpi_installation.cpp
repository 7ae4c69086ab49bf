#include "cli/doctor/mpi_installation.hpp"

#include <unistd.h>

#include <filesystem>
#include <initializer_list>
#include <sstream>

namespace ductile::cli {
namespace {

namespace fs = std::filesystem;

bool can_be_run(const fs::path& file) {
    std::error_code none;
    return fs::is_regular_file(file, none) && access(file.c_str(), X_OK) == 0;
}

std::string first_of(const fs::path& folder, std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (can_be_run(folder / name)) return (folder / name).string();
    return {};
}

}  // namespace

MpiInstallation find_installation(const std::string& prefix) {
    const fs::path bin = fs::path(prefix) / "bin";
    MpiInstallation found{prefix, first_of(bin, {"mpicc"}),
                          first_of(bin, {"mpiexec", "mpiexec.hydra"})};
    if (found.mpicc.empty() && can_be_run(bin / "mpicc.mpich")) {
        found.mpicc = (bin / "mpicc.mpich").string();
        found.mpiexec = first_of(bin, {"mpiexec.mpich", "mpiexec.hydra"});
    }
    return found;
}

std::string library_folder_in(const std::string& prefix, const std::string& library) {
    std::error_code none;
    for (const char* folder : {"lib", "lib64", "lib/release"})
        if (fs::exists(fs::path(prefix) / folder / library, none))
            return (fs::path(prefix) / folder).string();
    return {};
}

MpiInstallation find_installation(const std::string& prefix, const std::string& library,
                                  const std::string& other) {
    auto found = find_installation(prefix);
    if (!found.mpicc.empty() || found.mpiexec.empty()) return found;
    found.library_folder = library_folder_in(prefix, library);
    if (found.library_folder.empty()) return found;
    const bool standard_abi = library.starts_with("libmpi_abi");
    found.mpicc = standard_abi ? first_of(fs::path(other) / "bin", {"mpicc_abi"})
                               : find_installation(other).mpicc;
    return found;
}

std::string default_prefix(const std::string& built_for, const std::string& path) {
    if (!built_for.empty() && !find_installation(built_for).mpiexec.empty()) return built_for;
    std::istringstream folders(path);
    for (std::string folder; std::getline(folders, folder, ':');)
        if (can_be_run(fs::path(folder) / "mpiexec"))
            return fs::path(folder).parent_path().string();
    return built_for;
}

}  // namespace ductile::cli
