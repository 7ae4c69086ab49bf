// How long does it take to simulate the construction of a process group?
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>

#include "common/report.hpp"
#include "sim/group_build.hpp"

using namespace ductile;
using namespace ductile::bench;

namespace {

struct Size {
    int processes;
    double longest_s;
};
constexpr Size sizes[] = {{1 << 17, 2}, {1 << 20, 30}};

const std::vector<tree::Method> methods{{tree::Algorithm::centralized, tree::Filler::none},
                                        {tree::Algorithm::shrink_and_balance, tree::Filler::leaf},
                                        {tree::Algorithm::shrink_and_hash, tree::Filler::none}};

double seconds_of(const tree::Method& method, const std::vector<bool>& members) {
    const auto begin = std::chrono::steady_clock::now();
    const auto build = sim::simulate_build(method, members, {});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (build.messages == 0) throw std::logic_error("nothing was simulated");
    return took.count();
}

}  // namespace

int main(int argc, char** argv) {
    const auto options = read_options(
        argc, argv, "Measures the time to simulate the construction of a process group");
    try {
        Report report{"The simulation of the construction of a process group",
                      {},
                      {{"repeat", options.repeat}},
                      {}};
        for (const auto& size : sizes)
            for (const double fraction : {0.3, 0.9})
                for (const auto& method : methods) {
                    const auto members = sim::draw_members(
                        size.processes, static_cast<int>(size.processes * fraction), 1);
                    Row row{fmt::format("{} of {}, {}", fraction, size.processes,
                                        to_string(method.algorithm)),
                            "simulating",
                            {},
                            {},
                            {},
                            {}};
                    for (int sample = 0; sample < options.repeat; ++sample)
                        row.ours_s.push_back(seconds_of(method, members));
                    row.expect_seconds(size.longest_s);
                    report.rows.push_back(std::move(row));
                }
        publish(report, options);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench/simulated_build: {}\n", error.what());
        return 1;
    }
}
