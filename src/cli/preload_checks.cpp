#include "cli/preload_checks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/launch_environment.hpp"
#include "ductile/error.hpp"
#include "rms/self.hpp"

namespace ductile::cli {

namespace {

/// `option`: what requests the library, for messages.
void preload(broker::LaunchSpec& launch, const std::string& option, const std::string& name) {
    const auto library = rms::companion(name);
    if (::access(library.c_str(), R_OK) != 0)
        throw InputError(option + " is refused: there is no " + library);
    if (library.find_first_of(" :") != library.npos)
        throw InputError(option + " is refused: LD_PRELOAD takes no blank and no colon in " +
                         library);
    put_first(launch, "LD_PRELOAD", library);
}

}  // namespace

void preload_checks(Settings& settings, broker::LaunchSpec& launch) {
    const auto check = settings.choice("check", "0", {"0", "1", "report"});
    const auto after = settings.seconds("check-after", 10).value;
    if (check == "0") return;
    if (after < 0.1 || after > 1e6)
        throw InputError("--check-after is not from 0.1 to 1000000 seconds");
    add_environment(launch,
                    {{"DUCTILE_CHECK", check}, {"DUCTILE_CHECK_AFTER", fmt::format("{}", after)}});
    preload(launch, "--check", "libductile_check.so");
}

void preload_mpi_time(Settings& settings, const broker::PolicySpec& policy,
                      broker::LaunchSpec& launch) {
    const bool is_policy = policy.kind == policy::Kind::efficiency;
    const bool is_asked = settings.flag("measure-efficiency");
    if (!is_policy && !is_asked) return;
    const std::string option = is_policy ? "--policy efficiency" : "--measure-efficiency";
    if (settings.text("check", "0") != "0")
        throw InputError(option +
                         " and --check exclude each other: both take the place of the MPI calls of "
                         "the program");
    preload(launch, option, "libductile_mpi_time.so");
}

}  // namespace ductile::cli
