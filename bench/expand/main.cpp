// How much time does a program lose while it grows, how long does the growth take, and how much
// processor time does it cost, compared with a collective MPI_Comm_spawn and merge? And how long
// does `ductile run` take, compared with mpiexec?
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>

#include "common/alternate.hpp"
#include "common/other_run.hpp"
#include "common/our_run.hpp"
#include "common/phases.hpp"
#include "common/report.hpp"
#include "ductile/error.hpp"
#include "expand/cases.hpp"
#include "expand/growth_cost.hpp"

using namespace ductile::bench;

namespace {

constexpr double p90_over_median = 3;
/// The goal for the stall if all data (256 MiB or more) have moved before the point.
constexpr double stall_ratio_ahead = 0.05;
constexpr Shape cost_begin{1, 1}, cost_end{5, 1};
constexpr double cost_ratio = 1.1;
constexpr Shape run_shape{4, 1};
constexpr double run_ratio = 1.0;

void note_failures(Report& report, const std::string& name, const Side& ours, const Side& other) {
    report.details["failures"][name] = {{"ours", ours.failures}, {"other", other.failures}};
}

/// How programs grow.
struct Growth {
    std::string overlap = "background", join = "point";
    int mebibytes = 0;  ///< size of an array that moves; our program has frozen it
};

// With --overlap blocking the program waits for the whole growth. Then there is no goal for the
// stall.
void measure(const Case& a_case, const Place& place, int repeat, const Growth& growth,
             Report& report) {
    const bool waits = growth.overlap == "blocking";
    std::vector<OurResize> ours;
    std::vector<double> other_s;
    Side our_side{"ductile", [&] {
                      ours.push_back(run_ours(place, a_case.begin, a_case.end,
                                              {a_case.end.ranks(), a_case.begin.ranks()},
                                              {"--overlap", growth.overlap, "--join", growth.join},
                                              growth.mebibytes)
                                         .front());
                  }};
    const int added_hosts = a_case.end.hosts - a_case.begin.hosts;
    OtherRun spawn{a_case.begin,
                   a_case.end,
                   a_case.end,
                   {beside("other/collective_spawn"),
                    std::to_string(a_case.end.ranks() - a_case.begin.ranks()),
                    std::to_string(growth.mebibytes)}};
    const auto hosts = place.spawn_on(a_case.begin.hosts, added_hosts, a_case.end.per_host);
    if (!hosts.empty()) spawn.program.push_back(hosts);
    Side other_side{"collective spawn + merge",
                    [&] { other_s.push_back(run_other(place, spawn)); }};
    alternate(a_case.name(), repeat, our_side, other_side);

    Row stall{a_case.name(), "stall", {}, other_s, other_side.name, {}};
    Row lost{a_case.name(), "lost", {}, other_s, other_side.name, {}};
    Row total{a_case.name(), "total", {}, other_s, other_side.name, {}};
    for (const auto& one : ours) {
        stall.ours_s.push_back(one.stall_s);
        total.ours_s.push_back(one.total_s);
        lost.ours_s.push_back(one.lost_s());
    }
    const bool all_ahead = growth.join == "background" && growth.mebibytes >= 256;
    if (a_case.stall_ratio > 0 && !waits)
        stall.expect_ratio(all_ahead ? stall_ratio_ahead : a_case.stall_ratio);
    if (a_case.total_ratio > 0) total.expect_ratio(a_case.total_ratio);
    report.rows.push_back(stall.expect_p90_over_median(p90_over_median));
    report.rows.push_back(lost);
    report.rows.push_back(total.expect_p90_over_median(p90_over_median));
    const auto phases = median_phases(ours);
    report.details["phases"][a_case.name()] = phases;
    note_failures(report, a_case.name(), our_side, other_side);
    std::fputs(phases_to_text(a_case.name(), phases).c_str(), stdout);
}

nlohmann::json parts_of(const std::vector<GrowthCost>& costs) {
    nlohmann::json parts{{"ranks_s", nlohmann::json::array()},
                         {"managers_s", nlohmann::json::array()}};
    for (const auto& cost : costs) {
        parts["ranks_s"].push_back(cost.ranks_s);
        parts["managers_s"].push_back(cost.managers_s);
    }
    return parts;
}

void measure_cost(const Place& place, int repeat, Report& report) {
    std::vector<GrowthCost> ours, other;
    Side our_side{"ductile", [&] { ours.push_back(cost_of_ours(place, cost_begin, cost_end)); }};
    Side other_side{"collective spawn + merge",
                    [&] { other.push_back(cost_of_other(place, cost_begin, cost_end)); }};
    const auto name = fmt::format("{}->{}", cost_begin.ranks(), cost_end.ranks());
    alternate(name + " cpu", repeat, our_side, other_side);
    Row row{name, "cpu", {}, {}, other_side.name, {}};
    for (const auto& cost : ours) row.ours_s.push_back(cost.started_s);
    for (const auto& cost : other) row.other_s.push_back(cost.started_s);
    report.rows.push_back(row.expect_ratio(cost_ratio));
    report.details["cpu"] = {{"ours", parts_of(ours)}, {"other", parts_of(other)}};
    note_failures(report, name + " cpu", our_side, other_side);
}

double wall_time_s(const ductile::rms::Command& command) {
    const auto begin = std::chrono::steady_clock::now();
    const auto result = ductile::rms::run_command(command);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (!result.succeeded())
        throw ductile::SystemError(how_it_ended(command, result) + ": " + result.err);
    return took.count();
}

void measure_run(const Place& place, int repeat, Report& report) {
    const std::vector<std::string> program{beside("other/init_finalize")};
    Row row{fmt::format("{} ranks", run_shape.ranks()), "run", {}, {}, "mpiexec", {}};
    Side our_side{"ductile run", [&] {
                      row.ours_s.push_back(
                          wall_time_s(place.ours(run_shape, run_shape, "/dev/null", {}, program)));
                  }};
    Side other_side{
        row.other,
        [&] { row.other_s.push_back(wall_time_s(place.other_from_head(run_shape, program))); }};
    alternate(row.name + " run", repeat, our_side, other_side);
    report.rows.push_back(row.expect_ratio(run_ratio));
    note_failures(report, row.name + " run", our_side, other_side);
}

struct Wish {
    std::string pairs = "1:4,2:8", hosts = "4", only, mebibytes = "0";
    Growth growth;

    [[nodiscard]] bool has(const std::string& measure) const {
        return only.empty() || only == measure;
    }
};

void run(const Wish& wish, const Options& options, int argc, char** argv) {
    if (!wish.has("growth") && !wish.has("cpu") && !wish.has("run"))
        throw ductile::InputError("--only: growth, cpu or run, not '" + wish.only + "'");
    const auto& overlap = wish.growth.overlap;
    const auto& join = wish.growth.join;
    if (overlap != "background" && overlap != "blocking")
        throw ductile::InputError("--overlap: background or blocking, not '" + overlap + "'");
    if (join != "background" && join != "point")
        throw ductile::InputError("--join: background or point, not '" + join + "'");
    auto growth = wish.growth;
    if (wish.mebibytes != "0") growth.mebibytes = number_in(wish.mebibytes, "--mebibytes", 4096);
    const int hosts = number_in(wish.hosts, "--hosts", 64);
    const auto cases = cases_in(wish.pairs, hosts);
    const int needed = std::max(
        {wish.has("growth") ? hosts : 1, wish.has("cpu") ? cost_end.hosts : 1, run_shape.hosts});
    const auto place = choose_place(options, argc, argv, needed);
    Report report{"Growing, against collective MPI_Comm_spawn + merge, on " + place.description(),
                  {},
                  {{"repeat", options.repeat},
                   {"hosts", place.description()},
                   {"number_of_hosts", hosts},
                   {"overlap", overlap},
                   {"join", join},
                   {"mebibytes", growth.mebibytes}},
                  {}};
    if (wish.has("growth"))
        for (const auto& a_case : cases) measure(a_case, place, options.repeat, growth, report);
    if (wish.has("cpu")) measure_cost(place, options.repeat, report);
    if (wish.has("run")) measure_run(place, options.repeat, report);
    publish(report, options);
}

}  // namespace

int main(int argc, char** argv) {
    Wish wish;
    const auto options = read_options(
        argc, argv, "Measures how programs grow: with Ductile, and by MPI_Comm_spawn + merge",
        {{"--pairs", "growths FROM:TO, in ranks (default: 1:4,2:8)", &wish.pairs},
         {"--hosts", "number of hosts, which the TO ranks of a pair fill (default: 4)",
          &wish.hosts},
         {"--overlap",
          "background or blocking: whether our program computes or waits while new ranks start "
          "(default: background)",
          &wish.growth.overlap},
         {"--join",
          "point or background: whether our new ranks join the others at the resize point or "
          "while the program computes (default: point)",
          &wish.growth.join},
         {"--mebibytes",
          "size of an array that moves, in MiB; our program has frozen it (default: 0)",
          &wish.mebibytes},
         {"--only",
          "measure only growth (times), cpu (processor time of a growth) or run (the time of a "
          "whole run, against mpiexec) (default: all three)",
          &wish.only}});
    try {
        run(wish, options, argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench/expand: {}\n", error.what());
        return 1;
    }
}
