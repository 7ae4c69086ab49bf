#include <gtest/gtest.h>

#include "ductile/error.hpp"
#include "expand/cases.hpp"

namespace ductile::bench::growth_cases_test {
namespace {

TEST(GrowthCases, TheLargerSizeFillsTheHostsEvenly) {
    struct Row {
        Pair pair;
        int hosts, begin_hosts, end_hosts, per_host;
    };
    for (const auto& row :
         {Row{{1, 4}, 4, 1, 4, 1}, Row{{2, 8}, 4, 1, 4, 2}, Row{{1, 32}, 32, 1, 32, 1},
          Row{{1, 2}, 4, 1, 2, 1}, Row{{8, 16}, 4, 2, 4, 4}}) {
        const auto found = case_of(row.pair, row.hosts);
        EXPECT_EQ(found.begin.hosts, row.begin_hosts) << found.name();
        EXPECT_EQ(found.end.hosts, row.end_hosts) << found.name();
        EXPECT_EQ(found.begin.per_host, row.per_host) << found.name();
        EXPECT_EQ(found.begin.ranks(), row.pair.ns);
        EXPECT_EQ(found.end.ranks(), row.pair.nt);
    }
}

TEST(GrowthCases, RanksThatDoNotFillTheirHostsAreRefused) {
    EXPECT_THROW(case_of({1, 8}, 4), InputError);
    EXPECT_THROW(case_of({2, 7}, 4), InputError);
    EXPECT_THROW(cases_in("1:4,1:8", 4), InputError);
}

TEST(GrowthCases, KnowWhatIsToBeReached) {
    const auto cases = cases_in("1:4,2:8,1:2", 4);
    ASSERT_EQ(cases.size(), 3u);
    EXPECT_EQ(cases[0].name(), "1->4");
    EXPECT_EQ(cases[0].total_ratio, 1.0);
    EXPECT_EQ(cases[1].stall_ratio, 0.15);
    EXPECT_EQ(cases[2].total_ratio, 0);
}

}  // namespace
}  // namespace ductile::bench::growth_cases_test
