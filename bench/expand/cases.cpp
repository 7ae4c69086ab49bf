#include "expand/cases.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ductile/error.hpp"

namespace ductile::bench {

namespace {

constexpr int most_per_host = 64;

struct Reach {
    Pair pair;
    double stall_ratio, total_ratio;
};
constexpr Reach reaches[] = {{{1, 4}, 0.08, 1.0}, {{2, 8}, 0.15, 1.2}, {{1, 32}, 0.15, 1.0}};

}  // namespace

std::string Case::name() const {
    return fmt::format("{}->{}", begin.ranks(), end.ranks());
}

Case case_of(const Pair& pair, int hosts) {
    const int per_host = (pair.nt + hosts - 1) / hosts;
    if (pair.ns % per_host != 0 || pair.nt % per_host != 0)
        throw InputError(fmt::format(
            "{}:{} cannot be measured on {} hosts: with {} ranks a host both sizes must fill their "
            "hosts",
            pair.ns, pair.nt, hosts, per_host));
    Case found{{pair.ns / per_host, per_host}, {pair.nt / per_host, per_host}};
    const auto* reach = std::ranges::find(reaches, pair, &Reach::pair);
    if (reach != std::end(reaches)) {
        found.stall_ratio = reach->stall_ratio;
        found.total_ratio = reach->total_ratio;
    }
    return found;
}

std::vector<Case> cases_in(const std::string& pairs, int hosts) {
    std::vector<Case> cases;
    for (const auto& pair : pairs_in(pairs, hosts * most_per_host))
        cases.push_back(case_of(pair, hosts));
    return cases;
}

}  // namespace ductile::bench
