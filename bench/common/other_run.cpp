#include "common/other_run.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ductile/error.hpp"

namespace ductile::bench {

double run_other(const Place& place, const OtherRun& run) {
    const auto command = place.other(run.begin, run.most, run.program);
    const auto result = rms::run_command(command);
    const auto told = nlohmann::json::parse(result.out, nullptr, false);
    if (!result.succeeded() || !told.is_object())
        throw SystemError(fmt::format("{} failed: {}: {}{}", run.program.front(),
                                      how_it_ended(command, result), result.out, result.err));
    const auto hosts = told.at("hosts").get<std::vector<std::string>>();
    if (!place.lies_on(hosts, run.reported))
        throw SystemError(run.program.front() + ": its ranks are on " + told.at("hosts").dump());
    return told.at("total_s");
}

}  // namespace ductile::bench
