#include "cluster/slurm_packages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "ductile/error.hpp"

namespace ductile::cluster {
namespace {

namespace fs = std::filesystem;

/// The programs that are missing in `folder`. The daemons and the readiness check need them.
std::vector<std::string> missing_programs(const std::string& folder) {
    std::vector<std::string> missing;
    for (const char* program :
         {"/usr/sbin/munged", "/usr/sbin/mariadbd", "/usr/sbin/slurmdbd", "/usr/sbin/slurmctld",
          "/usr/sbin/slurmd", "/usr/sbin/slurmstepd", "/usr/bin/sinfo"})
        if (::access((folder + program).c_str(), X_OK) != 0) missing.push_back(folder + program);
    return missing;
}

/// The folder build/slurm, if this program is build/bin/ductile.
std::string folder_of_setup() {
    std::error_code unreadable;
    const fs::path program = fs::read_symlink("/proc/self/exe", unreadable);
    return unreadable ? std::string{} : (program.parent_path().parent_path() / "slurm").string();
}

[[noreturn]] void throw_missing(const std::vector<std::string>& missing) {
    throw UsageError(
        fmt::format("cannot start a Slurm on this machine (missing: {}); run `scripts/setup "
                    "--with slurm`, or "
                    "name in DUCTILE_SLURM a folder in which Slurm, munge and MariaDB are unpacked",
                    fmt::join(missing, ", ")));
}

}  // namespace

std::string find_slurm_packages() {
    const char* given = std::getenv("DUCTILE_SLURM");
    const bool is_given = given != nullptr && *given != '\0';
    std::string folder = is_given ? fs::absolute(given).string() : folder_of_setup();
    if (is_given || fs::exists(folder)) {
        const auto missing = missing_programs(folder);
        if (!missing.empty()) throw_missing(missing);
        return folder;
    }
    const auto missing = missing_programs({});
    if (!missing.empty()) throw_missing(missing);
    return {};
}

}  // namespace ductile::cluster
