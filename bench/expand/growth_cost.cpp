#include "expand/growth_cost.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include "cli/private_folder.hpp"
#include "common/rest.hpp"
#include "common/running_command.hpp"
#include "ductile/error.hpp"
#include "expand/processor_time.hpp"

namespace ductile::bench {

namespace {

using namespace std::chrono_literals;

constexpr auto note_within = 30s;
/// The job computes undisturbed for this time before it grows.
constexpr auto settle = 150ms;

std::string read_note(const RunningCommand& run, const std::string& folder,
                      const std::string& name) {
    const auto until = std::chrono::steady_clock::now() + note_within;
    while (!has_note(folder, name)) {
        if (run.ended(2ms)) throw SystemError("it ended before it wrote its note '" + name + "'");
        if (std::chrono::steady_clock::now() > until)
            throw SystemError("it did not write its note '" + name + "' in time");
    }
    std::ifstream file(folder + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The processes of the measured program, and those that run it (agents, launchers, shells).
Census take_census_of_job(const Place& place) {
    return below(take_census(), place.cluster() ? 1 : ::getpid(), ::getpid());
}

struct Growth {
    const Place& place;
    std::string program;  ///< the ranks' executable
    int new_ranks = 0;
    std::function<void(const std::string& job)> begin;  ///< starts a growth; may return early
};

GrowthCost watch(const RunningCommand& run, const std::string& folder, const Growth& growth) {
    const auto job = read_note(run, folder, note_ready);
    std::this_thread::sleep_for(settle);
    const auto before = take_census_of_job(growth.place);
    growth.begin(job);
    GrowthCost cost;
    for (int i = 0; i < growth.new_ranks; ++i)
        cost.ranks_s += std::stod(read_note(run, folder, note_of_newcomer(i)));
    const auto time = time_between(before, take_census_of_job(growth.place), growth.program);
    leave_note(folder, note_end, "");
    if (time.ranks != growth.new_ranks)
        throw SystemError(fmt::format("{} of {} new ranks were found among the processes",
                                      time.ranks, growth.new_ranks));
    cost.started_s = time.started_s + cost.ranks_s;
    cost.managers_s = time.managers_s;
    return cost;
}

GrowthCost cost_of(const rms::Command& command, const std::string& folder, const Growth& growth) {
    RunningCommand run(command);
    std::string failure;
    GrowthCost cost;
    try {
        cost = watch(run, folder, growth);
    } catch (const Error& error) {
        failure = error.what();
        run.cancel();
    }
    const auto result = run.result();
    if (!failure.empty() || !result.succeeded())
        throw SystemError(fmt::format("{}: {}; {}: {}", growth.program, failure,
                                      how_it_ended(command, result), result.err));
    return cost;
}

}  // namespace

GrowthCost cost_of_ours(const Place& place, const Shape& begin, const Shape& end) {
    const cli::PrivateFolder folder("bench");
    const auto resize = [&](const std::string& job) {
        const auto command = place.ductile({"resize", job, std::to_string(end.ranks()), "--wait"});
        const auto result = rms::run_command(command);
        if (!result.succeeded())
            throw SystemError("the resize failed: " + how_it_ended(command, result) + " (" +
                              result.err + ")");
    };
    return cost_of(place.ours(begin, end, folder.file("events"), {},
                              {beside("programs/grow_and_rest"), folder.path()}),
                   folder.path(), {place, "grow_and_rest", end.ranks() - begin.ranks(), resize});
}

GrowthCost cost_of_other(const Place& place, const Shape& begin, const Shape& end) {
    const cli::PrivateFolder folder("bench");
    const int added = end.ranks() - begin.ranks();
    std::vector<std::string> program{beside("other/spawn_and_rest"), folder.path(),
                                     std::to_string(added)};
    const auto hosts = place.spawn_on(begin.hosts, end.hosts - begin.hosts, end.per_host);
    if (!hosts.empty()) program.push_back(hosts);
    return cost_of(place.other(begin, end, program), folder.path(),
                   {place, "spawn_and_rest", added,
                    [&](const std::string&) { leave_note(folder.path(), note_begin, ""); }});
}

}  // namespace ductile::bench
