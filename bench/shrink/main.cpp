// How much time does a program lose when it gives back whole hosts (TS: the leavers end), compared
// with a respawn of all ranks that stay?
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>

#include "common/alternate.hpp"
#include "common/other_run.hpp"
#include "common/our_run.hpp"
#include "common/phases.hpp"
#include "common/report.hpp"
#include "shrink/core_a_rank.hpp"

using namespace ductile::bench;

namespace {

struct Case {
    Shape begin, end;
    double speedup;  ///< the goal; 0: no goal
    [[nodiscard]] std::string name() const {
        return fmt::format("{}->{}", begin.ranks(), end.ranks());
    }
};

// 16 ranks are one of the cases, even on few cores. In 2 -> 1 each rank has a core on any machine
// with two cores.
const std::vector<Case> cases{
    {{2, 1}, {1, 1}, 0}, {{4, 1}, {1, 1}, 100}, {{4, 2}, {1, 2}, 30}, {{4, 4}, {1, 4}, 30}};

void measure(const Case& a_case, const Place& place, int repeat, Report& report) {
    std::vector<OurResize> ours;
    std::vector<double> other_s;
    Side our_side{
        "ductile", [&] {
            ours.push_back(
                run_ours(place, a_case.begin, a_case.begin, {a_case.end.ranks()}).front());
        }};
    OtherRun respawn{a_case.begin,
                     a_case.begin,
                     a_case.end,
                     {beside("other/respawn"), std::to_string(a_case.end.ranks())}};
    const auto hosts = place.spawn_on(0, a_case.end.hosts, a_case.end.per_host);
    if (!hosts.empty()) respawn.program.push_back(hosts);
    Side other_side{"respawn", [&] { other_s.push_back(run_other(place, respawn)); }};
    alternate(a_case.name(), repeat, our_side, other_side);

    Row stall{a_case.name(), "stall", {}, other_s, other_side.name, {}};
    Row total{a_case.name(), "total", {}, other_s, other_side.name, {}};
    for (const auto& one : ours) {
        stall.ours_s.push_back(one.stall_s);
        total.ours_s.push_back(one.total_s);
    }
    report.rows.push_back(a_case.speedup > 0 ? stall.expect_speedup(a_case.speedup) : stall);
    report.rows.push_back(total);
    const auto phases = median_phases(ours);
    report.details["phases"][a_case.name()] = phases;
    report.details["failures"][a_case.name()] = {{"ours", our_side.failures},
                                                 {"other", other_side.failures}};
    std::fputs(phases_to_text(a_case.name(), phases).c_str(), stdout);
}

Row row_of(const std::string& name, const std::string& measure, double OurResize::*value,
           const std::vector<OurResize>& ours, const std::vector<OurResize>& other) {
    Row row{name, measure, {}, {}, "a whole host", {}};
    for (const auto& one : ours) row.ours_s.push_back(one.*value);
    for (const auto& one : other) row.other_s.push_back(one.*value);
    return row;
}

// Compares two shrinks by four ranks: one rank of each host leaves, or a whole host. With single
// ranks no host becomes free.
void measure_single_leavers(const Place& place, int repeat, Report& report) {
    const Shape begin{4, 4};
    Request one_of_each;
    for (int host = 0; host < begin.hosts; ++host)
        one_of_each.insert(one_of_each.end(), {"--release", place.host_name(host) + ":1"});
    const Request whole{"--release", place.host_name(begin.hosts - 1)};
    std::vector<OurResize> singles, hosts;
    const auto take = [&](std::vector<OurResize>& into, const Request& request) {
        return [&] { into.push_back(run_requests(place, begin, begin, {request}).front()); };
    };
    Side single_side{"a rank of each host", take(singles, one_of_each)};
    Side host_side{"a whole host", take(hosts, whole)};
    const std::string name = "16->12, a rank of each host";
    alternate(name, repeat, single_side, host_side);
    report.rows.push_back(
        row_of(name, "stall", &OurResize::stall_s, singles, hosts).expect_ratio(1.1));
    report.rows.push_back(row_of(name, "total", &OurResize::total_s, singles, hosts));
    report.details["failures"][name] = {{"ours", single_side.failures},
                                        {"other", host_side.failures}};
}

double two_ranks(const Place& place, const Shape& shape, const std::string& what) {
    return run_other(place, {shape, shape, shape, {beside("other/two_ranks"), what}});
}

// Estimates from the first case, in which each rank has a core.
void estimate(const Place& place, int repeat, Report& report) {
    const auto& stall = report.details.at("phases").at(cases.front().name()).at("stall");
    TwoRanks two;
    two.shrink = {
        stall.at("program_stall_s").get<double>() - stall.at("recorded_stall_s").get<double>(),
        stall.at("vote_s"), stall.at("join_s"), stall.at("commit_s")};
    std::vector<double> rounds_s;
    std::vector<double> splits_s;
    Side agreement{"agreement", [&] { rounds_s.push_back(two_ranks(place, {2, 1}, "agreement")); }};
    Side split{"split", [&] { splits_s.push_back(two_ranks(place, {1, 2}, "split")); }};
    alternate("two ranks", repeat, agreement, split);
    two.round_s = spread_of(rounds_s).median;
    two.split_s = spread_of(splits_s).median;
    fmt::print(
        "two ranks with a core each: an agreement over two hosts {:.3f} ms, three "
        "communicators {:.3f} ms\n",
        two.round_s * 1e3, two.split_s * 1e3);
    for (const auto& a_case : cases) {
        const auto parts = with_a_core_a_rank(two, a_case.begin.ranks(), a_case.end.ranks());
        report.details["core_a_rank"][a_case.name()] = {{"word_s", parts.word_s},
                                                        {"vote_s", parts.agreement_s},
                                                        {"join_s", parts.split_s},
                                                        {"commit_s", parts.handing_over_s},
                                                        {"program_stall_s", parts.all_s()}};
        fmt::print(
            "{}, ms of the stall with a core for each rank (estimated): wait for the point {:.2f} "
            "agreement {:.2f} split {:.2f} handing over {:.2f} in all {:.2f}\n",
            a_case.name(), parts.word_s * 1e3, parts.agreement_s * 1e3, parts.split_s * 1e3,
            parts.handing_over_s * 1e3, parts.all_s() * 1e3);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const auto options = read_options(
        argc, argv,
        "Measures how programs shrink: with Ductile, and by a respawn of the ranks that stay");
    try {
        const auto place = choose_place(options, argc, argv);
        Report report{
            "Shrinking (TS), against a respawn of the ranks that stay, on " + place.description(),
            {},
            {{"repeat", options.repeat}, {"hosts", place.description()}},
            {}};
        for (const auto& a_case : cases) measure(a_case, place, options.repeat, report);
        measure_single_leavers(place, options.repeat, report);
        estimate(place, options.repeat, report);
        publish(report, options);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench/shrink: {}\n", error.what());
        return 1;
    }
}
