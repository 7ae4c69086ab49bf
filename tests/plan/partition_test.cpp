#include "plan/partition.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>

#include "ductile/error.hpp"
#include "partition_gen.hpp"

namespace ductile::plan::partition_test {
namespace {

using Ranges = std::vector<Range>;

TEST(Partition, cases) {
    const struct {
        const char* what;
        Partition partition;
        std::vector<Ranges> by_part;
    } table[] = {
        {"blocks", BlockDistribution{10, 4}, {{{0, 3}}, {{3, 6}}, {{6, 8}}, {{8, 10}}}},
        {"more parts than elements", BlockDistribution{1, 3}, {{{0, 1}}, {}, {}}},
        {"weights", Partition::weighted(8, {3, 1}), {{{0, 6}}, {{6, 8}}}},
        {"a weight of 0", Partition::weighted(5, {1, 0, 1}), {{{0, 3}}, {}, {{3, 5}}}},
        {"consecutive", Partition::consecutive({0, 0, 2}), {{}, {{0, 2}}}},
        {"in turn", Partition::cyclic(10, 2, 3), {{{0, 3}, {6, 9}}, {{3, 6}, {9, 10}}}},
        {"in turn, one part", Partition::cyclic(10, 1, 3), {{{0, 10}}}},
        {"in turn, a larger block", Partition::cyclic(4, 2, 100), {{{0, 4}}, {}}},
        {"ranges",
         Partition::listed(6, {{{4, 6}}, {{0, 1}, {1, 3}, {3, 4}}}),
         {{{4, 6}}, {{0, 4}}}},
        {"ranges of no element", Partition::listed(2, {{{0, 2}}, {{1, 1}}}), {{{0, 2}}, {}}},
        {"columns", Partition::grid({2, 5}, {1, 2}), {{{0, 3}, {5, 8}}, {{3, 5}, {8, 10}}}},
        {"rows", Partition::grid({4, 3}, {2, 1}), {{{0, 6}}, {{6, 12}}}},
        {"the middle one of three",
         Partition::grid({2, 2, 2}, {1, 2, 1}),
         {{{0, 2}, {4, 6}}, {{2, 4}, {6, 8}}}},
        {"a grid of ranks",
         Partition::grid({2, 4}, {2, 2}),
         {{{0, 2}}, {{2, 4}}, {{4, 6}}, {{6, 8}}}},
        {"fewer columns than parts", Partition::grid({2, 1}, {1, 2}), {{{0, 2}}, {}}},
        {"no element", Partition::grid({0, 3}, {1, 2}), {{}, {}}},
    };
    for (const auto& row : table) {
        ASSERT_EQ(row.partition.parts(), static_cast<int>(row.by_part.size())) << row.what;
        for (int part = 0; part < row.partition.parts(); ++part)
            EXPECT_EQ(row.partition.ranges(part), row.by_part[static_cast<std::size_t>(part)])
                << row.what << ", part " << part;
    }
}

std::string refusal(const std::function<void()>& make) {
    try {
        make();
        return "";
    } catch (const InputError& error) {
        return error.what();
    }
}

TEST(Partition, what_is_none_is_refused_by_name) {
    const auto listed = [](std::vector<Ranges> by_part) {
        return refusal([&] { static_cast<void>(Partition::listed(6, by_part)); });
    };
    EXPECT_EQ(listed({{{0, 2}}, {{3, 6}}}), "element 2 belongs to no part");
    EXPECT_EQ(listed({{{0, 2}}, {{2, 5}}}), "element 5 belongs to no part");
    EXPECT_EQ(listed({{{0, 4}}, {{3, 6}}}), "element 3 belongs to part 0 and to part 1");
    EXPECT_EQ(listed({{{0, 4}}, {{4, 7}}}), "part 1 has elements [4,7) of an array of 6");
    EXPECT_EQ(listed({{{-1, 6}}}), "part 0 has elements [-1,6) of an array of 6");
    EXPECT_EQ(listed({{{3, 6}, {0, 3}}}), "range [0,3) of part 0 is not after [3,6)");
    EXPECT_EQ(listed({{{3, 1}}}), "range [3,1) of part 0 ends before it begins");
    EXPECT_EQ(listed({}), "the list of parts is empty");
    const std::vector<std::pair<std::function<void()>, const char*>> others{
        {[] {
             static_cast<void>(Partition::weighted(4, {0, 0}));
         },
         "no part has a weight above 0"},
        {[] {
             static_cast<void>(Partition::weighted(4, {1, -1}));
         },
         "a part cannot have the weight -1: weights are 0 or more, and 2^62 or less in all"},
        {[] { static_cast<void>(Partition::weighted(-1, {1})); },
         "an array has 0 to 2^62 elements, not -1"},
        {[] { static_cast<void>(Partition::consecutive({0})); },
         "the beginnings of consecutive blocks do not rise from 0"},
        {[] {
             static_cast<void>(Partition::consecutive({0, 3, 2}));
         },
         "the beginnings of consecutive blocks do not rise from 0"},
        {[] { static_cast<void>(Partition::cyclic(4, 2, 0)); },
         "a block has at least 1 element, not 0"},
        {[] {
             static_cast<void>(Partition::grid({4}, {1, 2}));
         },
         "an array of 1 dimensions cannot be cut along 2 dimensions"},
        {[] { static_cast<void>(Partition::grid({4}, {0})); }, "dimension 0 is cut in 0 parts"},
        {[] {
             static_cast<void>(Partition::grid({1 << 30, 1 << 30, 8}, {1, 1, 1}));
         },
         "the array has more than 2^62 elements"},
        {[] {
             static_cast<void>(Partition::grid({1, 1}, {1 << 20, 1 << 20}));
         },
         "the array is cut in 2^31 parts or more"},
    };
    for (const auto& [make, why] : others) EXPECT_EQ(refusal(make), why);
}

// Every function returns what a walk over all elements finds.
void check(const Partition& partition) {
    std::map<std::int64_t, int> owners;
    for (int part = 0; part < partition.parts(); ++part) {
        std::int64_t local = 0;
        std::int64_t last_end = -1;
        for (const auto& range : partition.ranges(part)) {
            RC_ASSERT(range.count() > 0);
            RC_ASSERT(range.begin > last_end);
            last_end = range.end;
            for (auto element = range.begin; element < range.end; ++element, ++local) {
                RC_ASSERT(owners.emplace(element, part).second);
                RC_ASSERT(partition.owner(element) == part);
                RC_ASSERT(partition.to_local(part, element) == local);
                RC_ASSERT(partition.to_global(part, local) == element);
                const auto end = partition.run_end(element);
                RC_ASSERT(end > element);
                RC_ASSERT(end <= range.end);
            }
        }
        RC_ASSERT(partition.count(part) == local);
    }
    RC_ASSERT(static_cast<std::int64_t>(owners.size()) == partition.elements());
    if (owners.empty()) return;
    RC_ASSERT(owners.begin()->first == 0);
    RC_ASSERT(owners.rbegin()->first == partition.elements() - 1);
}

RC_GTEST_PROP(Partition, gives_each_element_to_one_part, ()) {
    check(some_partition(*rc::gen::inRange<std::int64_t>(0, 200), *rc::gen::inRange(1, 9)));
}

RC_GTEST_PROP(Partition, of_several_dimensions_gives_each_element_to_one_part, ()) {
    const auto dimensions = *rc::gen::inRange(1, 5);
    std::vector<std::int64_t> extents;
    std::vector<int> parts;
    for (int i = 0; i < dimensions; ++i) {
        extents.push_back(*rc::gen::inRange<std::int64_t>(0, 6));
        parts.push_back(*rc::gen::inRange(1, 4));
    }
    check(Partition::grid(extents, parts));
}

RC_GTEST_PROP(Partition, by_weights_is_within_an_element_of_the_share, ()) {
    const auto weights = *rc::gen::nonEmpty(
        rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(1, 1000)));
    const auto elements = *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 50);
    const auto partition = Partition::weighted(elements, weights);
    long double sum = 0;
    for (const auto weight : weights) sum += static_cast<long double>(weight);
    for (int part = 0; part < partition.parts(); ++part) {
        const auto weight = static_cast<long double>(weights[static_cast<std::size_t>(part)]);
        const auto share = static_cast<long double>(elements) * weight / sum;
        RC_ASSERT(std::abs(static_cast<long double>(partition.count(part)) - share) < 1.001L);
    }
}

TEST(Partition, is_exact_to_2_to_the_62) {
    const auto all = std::int64_t{1} << 62;
    const auto cyclic = Partition::cyclic(all, 7, 1000);
    EXPECT_EQ(cyclic.to_local(cyclic.owner(all - 1), all - 1),
              cyclic.count(cyclic.owner(all - 1)) - 1);
    const auto weighted = Partition::weighted(all, {all / 2, all / 2 - 1, 1});
    EXPECT_EQ(weighted.count(0), all / 2);
    EXPECT_EQ(weighted.count(2), 1);
    const auto grid = Partition::grid({1 << 20, 1 << 20, 1 << 22}, {3, 5, 7});
    EXPECT_EQ(grid.owner(all - 1), 104);
    EXPECT_EQ(grid.to_global(104, grid.count(104) - 1), all - 1);
}

}  // namespace
}  // namespace ductile::plan::partition_test
