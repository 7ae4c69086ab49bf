// What does a resize point cost when nothing is due, and how long does an MPI call of rank 0 take
// at most while a resize is prepared in the background?
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "common/alternate.hpp"
#include "common/other_run.hpp"
#include "common/our_run.hpp"
#include "common/report.hpp"
#include "ductile/error.hpp"

using namespace ductile::bench;

namespace {

constexpr Shape eight_ranks{4, 2};
constexpr double longest_idle_call_s = 2e-6;
constexpr double longest_mpi_call_s = 20e-3;
/// Goal: the part of the nap of one rank in which the other ranks make all their calls.
constexpr double part_of_nap = 0.8;

struct IdlePoints {
    std::vector<double> call_s;
    double most_system_calls = 0;
    double longest_part_of_nap = 0;  ///< the part in which the others made their calls
};

void run_idle_points(const Place& place, IdlePoints& found) {
    constexpr const char* calls = "200000";
    const auto command = place.ours(eight_ranks, eight_ranks, "/dev/null", {},
                                    {beside("programs/idle_points"), calls});
    const auto result = ductile::rms::run_command(command);
    const auto told = nlohmann::json::parse(result.out, nullptr, false);
    if (!result.succeeded() || !told.is_object())
        throw ductile::SystemError(fmt::format(
            "idle_points failed: {}: {}{}", how_it_ended(command, result), result.out, result.err));
    const auto system_calls = told.at("system_calls").get<double>();
    if (system_calls < 0) throw ductile::SystemError("system calls cannot be counted here");
    found.call_s.push_back(told.at("call_s"));
    found.most_system_calls = std::max(found.most_system_calls, system_calls);
    found.longest_part_of_nap =
        std::max(found.longest_part_of_nap,
                 told.at("while_one_sleeps_s").get<double>() / told.at("nap_s").get<double>());
}

void measure_idle_points(const Place& place, int repeat, Report& report) {
    IdlePoints ours;
    std::vector<double> other_s;
    Side our_side{"resize_point", [&] { run_idle_points(place, ours); }};
    const OtherRun broadcast{
        eight_ranks, eight_ranks, eight_ranks, {beside("other/flag_by_broadcast"), "2000"}};
    Side other_side{"MPI_Bcast of a flag", [&] { other_s.push_back(run_other(place, broadcast)); }};
    alternate("idle", repeat, our_side, other_side);
    Row row{"8 ranks", "call", ours.call_s, other_s, other_side.name, {}};
    row.expect_seconds(longest_idle_call_s);
    row.targets.push_back({"system calls", Bound::at_most, 0, ours.most_system_calls});
    row.targets.push_back(
        {"part of a nap of one rank", Bound::at_most, part_of_nap, ours.longest_part_of_nap});
    report.rows.push_back(row);
    report.details["failures"]["8 ranks"] = {{"ours", our_side.failures},
                                             {"other", other_side.failures}};
}

/// A growth, and the times of rank 0's MPI calls.
struct Background {
    std::string name;
    Shape begin, end;
    std::vector<double> pending_s, quiet_s;

    void sample(const Place& place) {
        const auto resize = run_ours(place, begin, end, {end.ranks()}).front();
        pending_s.push_back(resize.slowest_pending_s);
        quiet_s.push_back(resize.slowest_quiet_s);
    }
    [[nodiscard]] Row row() const {
        Row row{name, "slowest call", pending_s, quiet_s, "the same before the resize", {}};
        row.expect_seconds(longest_mpi_call_s);
        row.targets.push_back(
            {"worst seconds", Bound::at_most, longest_mpi_call_s, spread_of(pending_s).max});
        return row;
    }
};

void measure_background(const Place& place, int repeat, Report& report) {
    Background narrow{"1->4", {1, 1}, {4, 1}, {}, {}};
    Background wide{"2->8", {1, 2}, {4, 2}, {}, {}};
    Side narrow_side{narrow.name, [&] { narrow.sample(place); }};
    Side wide_side{wide.name, [&] { wide.sample(place); }};
    alternate("calls in the background", repeat, narrow_side, wide_side);
    report.rows.push_back(narrow.row());
    report.rows.push_back(wide.row());
    report.details["failures"]["1->4"] = narrow_side.failures;
    report.details["failures"]["2->8"] = wide_side.failures;
}

}  // namespace

int main(int argc, char** argv) {
    const auto options = read_options(
        argc, argv,
        "Measures the cost of a resize point when no resize is due, and of MPI calls while a "
        "resize is prepared");
    try {
        const auto place = choose_place(options, argc, argv);
        Report report{
            "A resize point when nothing is due, and rank 0's slowest MPI call while a "
            "resize is prepared, on " +
                place.description(),
            {},
            {{"repeat", options.repeat}, {"hosts", place.description()}},
            {}};
        measure_idle_points(place, options.repeat, report);
        measure_background(place, options.repeat, report);
        publish(report, options);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench/resize_point: {}\n", error.what());
        return 1;
    }
}
