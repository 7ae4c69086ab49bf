// How much does a program lose while it grows, and how long does it take, against a collective
// MPI_Comm_spawn and merge?
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "common/alternate.hpp"
#include "common/other_run.hpp"
#include "common/our_run.hpp"
#include "common/phases.hpp"
#include "common/report.hpp"

using namespace ductile::bench;

namespace {

struct Case {
    Shape begin, end;
    double stall_ratio;  ///< to be reached
    [[nodiscard]] std::string name() const {
        return fmt::format("{}->{}", begin.ranks(), end.ranks());
    }
};

const std::vector<Case> cases{{{1, 1}, {4, 1}, 0.25}, {{1, 2}, {4, 2}, 0.5}};
constexpr double total_ratio = 1.3;
constexpr double p90_over_median = 3;

void measure(const Case& a_case, const Place& place, int repeat, Report& report) {
    std::vector<OurResize> ours;
    std::vector<double> other_s;
    Side our_side{"ductile", [&] {
                      ours.push_back(run_ours(place, a_case.begin, a_case.end,
                                              {a_case.end.ranks(), a_case.begin.ranks()})
                                         .front());
                  }};
    const int added_hosts = a_case.end.hosts - a_case.begin.hosts;
    OtherRun spawn{a_case.begin,
                   a_case.end,
                   a_case.end,
                   {beside("other/collective_spawn"),
                    std::to_string(a_case.end.ranks() - a_case.begin.ranks())}};
    const auto hosts = place.spawn_on(a_case.begin.hosts, added_hosts, a_case.end.per_host);
    if (!hosts.empty()) spawn.program.push_back(hosts);
    Side other_side{"collective spawn + merge",
                    [&] { other_s.push_back(run_other(place, spawn)); }};
    alternate(a_case.name(), repeat, our_side, other_side);

    Row stall{a_case.name(), "stall", {}, other_s, other_side.name, {}};
    Row total{a_case.name(), "total", {}, other_s, other_side.name, {}};
    for (const auto& one : ours) {
        stall.ours_s.push_back(one.stall_s);
        total.ours_s.push_back(one.total_s);
    }
    report.rows.push_back(
        stall.expect_ratio(a_case.stall_ratio).expect_p90_over_median(p90_over_median));
    report.rows.push_back(total.expect_ratio(total_ratio).expect_p90_over_median(p90_over_median));
    const auto phases = median_phases(ours);
    report.details["phases"][a_case.name()] = phases;
    report.details["failures"][a_case.name()] = {{"ours", our_side.failures},
                                                 {"other", other_side.failures}};
    std::fputs(phases_to_text(a_case.name(), phases).c_str(), stdout);
}

}  // namespace

int main(int argc, char** argv) {
    const auto options =
        read_options(argc, argv, "Growing: Ductile against MPI_Comm_spawn + merge");
    try {
        const auto place = choose_place(options, argc, argv);
        Report report{
            "Growing, against collective MPI_Comm_spawn + merge, on " + place.description(),
            {},
            {{"repeat", options.repeat}, {"hosts", place.description()}},
            {}};
        for (const auto& a_case : cases) measure(a_case, place, options.repeat, report);
        publish(report, options);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench/expand: {}\n", error.what());
        return 1;
    }
}
