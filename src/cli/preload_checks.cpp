#include "cli/preload_checks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/launch_environment.hpp"
#include "ductile/error.hpp"
#include "rms/self.hpp"

namespace ductile::cli {

void preload_checks(Settings& settings, broker::LaunchSpec& launch) {
    const auto check = settings.choice("check", "0", {"0", "1", "report"});
    const auto after = settings.seconds("check-after", 10).value;
    if (check == "0") return;
    if (after < 0.1 || after > 1e6)
        throw InputError("--check-after is not from 0.1 to 1000000 seconds");
    const auto library = rms::companion("libductile_check.so");
    if (::access(library.c_str(), R_OK) != 0)
        throw InputError("--check is refused: there is no " + library);
    if (library.find_first_of(" :") != library.npos)
        throw InputError("--check is refused: LD_PRELOAD takes no blank and no colon in " +
                         library);
    add_environment(launch,
                    {{"DUCTILE_CHECK", check}, {"DUCTILE_CHECK_AFTER", fmt::format("{}", after)}});
    put_first(launch, "LD_PRELOAD", library);
}

}  // namespace ductile::cli
