#include "data/shared_state.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "data/moved_ahead.hpp"
#include "data/partition_json.hpp"
#include "data/program_memory.hpp"
#include "ductile/error.hpp"
#include "ductile/part.hpp"
#include "far_memory.hpp"
#include "plan/rule.hpp"

namespace ductile::data::registry_test {
namespace {

template <class T>
std::unique_ptr<detail::ReplicatedAccess> access(T& value) {
    return detail::access_to(value);
}

std::shared_ptr<const plan::Partition> partition_of(const plan::Partition& partition) {
    return std::make_shared<const plan::Partition>(partition);
}

plan::Rule first_has_all_but(std::int64_t rest) {
    return plan::listed_rule([rest](int parts, int part) {
        std::vector<Range> ranges;
        if (part == 0) ranges.push_back({0, parts == 1 ? 10 : 10 - rest});
        if (part == 1) ranges.push_back({10 - rest, 10});
        return ranges;
    });
}

TEST(Registry, what_rank_0_packs_a_newcomer_finds_by_name) {
    long step = 42;
    std::string name = "heat";
    std::vector<double> gauges{1.5, 2.5};
    Registry source;
    add_replicated(source, "step", typeid(step).name(), access(step));
    add_replicated(source, "name", typeid(name).name(), access(name));
    add_replicated(source, "gauges", typeid(gauges).name(), access(gauges));
    add_array(source, {"u", "d", 3, 24, 10}, {}, 0, 2);
    const auto state = unpack_state(pack_state(source, outgoing(source, {2, 3})));
    ASSERT_EQ(state.arrays.size(), 1u);
    EXPECT_EQ(state.arrays[0].spec, (ArraySpec{"u", "d", 3, 24, 10}));

    Registry newcomer;
    adopt_values(newcomer, state);
    EXPECT_NO_THROW(expect_same(source, outgoing(source, {2, 3}), state));
    long their_step = 0;
    std::string their_name;
    std::vector<double> their_gauges;
    add_replicated(newcomer, "step", typeid(step).name(), access(their_step));
    add_replicated(newcomer, "name", typeid(name).name(), access(their_name));
    add_replicated(newcomer, "gauges", typeid(gauges).name(), access(their_gauges));
    EXPECT_EQ(their_step, 42);
    EXPECT_EQ(their_name, "heat");
    EXPECT_EQ(their_gauges, gauges);
}

std::unique_ptr<detail::ReplicatedAccess> list_of(long& a, std::string& b, std::vector<int>& c) {
    std::vector<std::unique_ptr<detail::ReplicatedAccess>> list;
    list.push_back(access(a));
    list.push_back(access(b));
    list.push_back(access(c));
    return std::make_unique<detail::ListAccess>(std::move(list));
}

RC_GTEST_PROP(Registry, several_values_are_one,
              (long a, const std::string& b, const std::vector<int>& c)) {
    auto theirs_b = b;
    auto theirs_c = c;
    const auto packed = list_of(a, theirs_b, theirs_c)->pack();
    long mine_a = 0;
    std::string mine_b;
    std::vector<int> mine_c;
    const auto mine = list_of(mine_a, mine_b, mine_c);
    RC_ASSERT(mine->accepts(packed));
    mine->unpack(packed);
    RC_ASSERT(mine_a == a && mine_b == b && mine_c == c);
    const auto cut = *rc::gen::inRange<std::size_t>(0, packed.size());
    RC_ASSERT(!mine->accepts(std::string_view(packed).substr(0, cut)));
    RC_ASSERT(!mine->accepts(packed + "x"));
}

TEST(Registry, a_part_has_room_for_ghosts) {
    Registry registry;
    const auto array = add_array(registry, {"u", "d", 1, 8, 10, "blocks", {2, 3}}, {}, 1, 2);
    const auto* first = array->block.memory.get();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 64, 0u);
    for (std::ptrdiff_t byte = -16; byte < 64; ++byte)  // 2 + 5 + 3 elements
        ASSERT_EQ(first[byte], std::byte{0}) << byte;
    const auto state = unpack_state(pack_state(registry, outgoing(registry, {2, 3})));
    EXPECT_EQ(state.arrays.at(0).spec, array->spec);
}

TEST(Registry, only_a_part_that_is_one_range_has_room_for_ghosts) {
    Registry registry;
    EXPECT_THROW(add_array(registry, {"u", "d", 1, 8, 10, "", {1, 1}}, plan::cyclic_rule(1), 0, 2),
                 InputError);
    EXPECT_NO_THROW(
        add_array(registry, {"u", "d", 1, 8, 10, "", {1, 1}}, plan::cyclic_rule(5), 0, 2));
    EXPECT_NO_THROW(add_array(registry, {"v", "d", 1, 8, 12, "", {0, 1}},
                              plan::dimension_rule({4, 3}, 0), 0, 2));
}

TEST(Registry, what_has_arrived_is_to_be_registered) {
    long step = 42;
    Registry registry;
    EXPECT_NO_THROW(expect_claimed(registry));
    adopt_values(registry, {{}, {{"step", typeid(step).name(), std::string(sizeof step, 0)}}});
    registry.arrays["u"] = std::make_shared<detail::ArrayState>();
    registry.arrays["u"]->spec = {"u", "d", 1, 8, 10};
    const auto why = [&]() -> std::string {
        try {
            expect_claimed(registry);
        } catch (const UsageError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_TRUE(why().starts_with("array 'u' has arrived")) << why();
    registry.arrays["u"]->claimed = true;
    EXPECT_TRUE(why().starts_with("replicated value 'step' has arrived")) << why();
    add_replicated(registry, "step", typeid(step).name(), access(step));
    EXPECT_EQ(why(), "");
}

TEST(Registry, the_fingerprint_is_of_names_types_sizes_and_rules) {
    const PartCounts counts{2, 3};
    const auto print = [&](const std::vector<std::pair<ArraySpec, plan::Rule>>& arrays,
                           const std::vector<std::string>& values, long value, int part) {
        Registry registry;
        std::vector<long> all(values.size(), value);
        for (const auto& [spec, rule] : arrays) add_array(registry, spec, rule, part, 2);
        for (std::size_t i = 0; i < values.size(); ++i)
            add_replicated(registry, values[i], "l", access(all[i]));
        return fingerprint(registry, outgoing(registry, counts));
    };
    const ArraySpec u{"u", "d", 1, 8, 10};
    const auto of_u = print({{u, {}}}, {"a"}, 1, 0);
    EXPECT_EQ(print({{u, {}}}, {"a"}, 2, 1), of_u) << "another part, another value";
    auto longer = u, wider = u, other = u, haloed = u;
    haloed.halo = {1, 0};
    longer.elements = 11, wider.width = 2, wider.element_bytes = 16, other.type = "l";
    std::set<std::int64_t> prints{of_u,
                                  print({}, {}, 1, 0),
                                  print({{u, {}}}, {}, 1, 0),
                                  print({{u, {}}}, {"b"}, 1, 0),
                                  print({{u, first_has_all_but(2)}}, {"a"}, 1, 0),
                                  print({{u, first_has_all_but(3)}}, {"a"}, 1, 0)};
    for (const auto& spec : {longer, wider, other, haloed})
        prints.insert(print({{spec, {}}}, {"a"}, 1, 0));
    EXPECT_EQ(prints.size(), 10u);
    EXPECT_GE(*prints.begin(), 0);
}

TEST(Registry, what_only_one_side_has_is_named) {
    Registry rank_0, other;
    add_array(rank_0, {"u", "d", 1, 8, 10}, {}, 0, 2);
    add_array(other, {"u", "d", 1, 8, 10}, {}, 1, 2);
    const PartCounts counts{2, 3};
    const auto why = [&] {
        try {
            expect_same(other, outgoing(other, counts),
                        unpack_state(pack_state(rank_0, outgoing(rank_0, counts))));
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(why(), "");
    long a = 1, b = 2;
    add_replicated(other, "a", "l", access(a));
    EXPECT_EQ(why(), "replicated value 'a' is registered on this rank and not on rank 0");
    add_replicated(rank_0, "a", "l", access(b));
    add_array(other, {"v", "d", 1, 8, 10}, {}, 1, 2);
    EXPECT_EQ(why(), "array 'v' is registered on this rank and not on rank 0");
    add_array(rank_0, {"v", "d", 1, 8, 20}, {}, 0, 2);
    EXPECT_NE(why().find("array 'v' is 20 elements"), std::string::npos) << why();
}

TEST(Registry, a_name_is_taken_once) {
    long a = 1, b = 2;
    Registry registry;
    add_replicated(registry, "a", "l", access(a));
    EXPECT_THROW(add_replicated(registry, "a", "l", access(b)), UsageError);
    add_array(registry, {"u", "d", 1, 8, 10}, {}, 0, 1);
    EXPECT_THROW(add_array(registry, {"u", "d", 1, 8, 10}, {}, 0, 1), UsageError);
}

TEST(Registry, what_arrived_is_checked) {
    long step = 1;
    Registry source;
    add_replicated(source, "step", "l", access(step));
    Registry newcomer;
    adopt_values(newcomer, unpack_state(pack_state(source, outgoing(source, {2, 3}))));
    int narrow = 0;
    EXPECT_THROW(add_replicated(newcomer, "step", "i", access(narrow)), UsageError);
    EXPECT_THROW(expect_same(newcomer, {}, {{}, {}}), UsageError);
    EXPECT_THROW(unpack_state("nonsense"), Error);
}

TEST(Registry, an_unclaimed_array_waits_for_its_registration) {
    Registry newcomer;
    auto arrived = std::make_shared<detail::ArrayState>();
    arrived->spec = {"u", "d", 1, 8, 10};
    arrived->block = make_block(arrived->spec, partition_of(plan::BlockDistribution{10, 2}), 1);
    newcomer.arrays["u"] = arrived;
    EXPECT_THROW(add_array(newcomer, {"u", "d", 1, 8, 11}, {}, 1, 2), UsageError);
    EXPECT_EQ(add_array(newcomer, {"u", "d", 1, 8, 10}, {}, 1, 2)->block.offset, 5);
}

TEST(Registry, a_newcomer_knows_a_rule_by_what_it_gives) {
    const ArraySpec spec{"u", "d", 1, 8, 10};
    Registry source;
    add_array(source, spec, first_has_all_but(2), 0, 2);
    EXPECT_EQ(source.arrays["u"]->block.count, 8);
    const PartCounts counts{2, 3};
    const auto arrays = outgoing(source, counts);
    const auto state = unpack_state(pack_state(source, arrays));
    EXPECT_NO_THROW(expect_same(source, arrays, state));
    ASSERT_EQ(state.arrays.size(), 1u);
    EXPECT_EQ(state.arrays[0].spec.rule, "ranges");
    EXPECT_EQ(*state.arrays[0].after, first_has_all_but(2).partition(10, 3));

    Registry newcomer;
    keep_parts(newcomer, state.arrays,
               {make_block(state.arrays[0].spec, state.arrays[0].after, 1)});
    EXPECT_THROW(add_array(newcomer, spec, {}, 1, 3), UsageError) << "another kind of rule";
    EXPECT_THROW(add_array(newcomer, spec, first_has_all_but(1), 1, 3), UsageError);
    EXPECT_EQ(add_array(newcomer, spec, first_has_all_but(2), 1, 3)->block.offset, 8);
    EXPECT_NO_THROW(outgoing(newcomer, {3, 5}));
}

TEST(Registry, as_many_ranks_on_other_hosts_may_hold_other_parts) {
    core::Layout before, after;
    before.active = {{core::GroupId{0}, core::HostIndex{0}, core::Rank{0}, 2}};
    after.active = {{core::GroupId{1}, core::HostIndex{0}, core::Rank{0}, 1},
                    {core::GroupId{1}, core::HostIndex{1}, core::Rank{1}, 1}};
    after.slots = {{core::HostIndex{0}, 1}, {core::HostIndex{1}, 4}};
    Registry source;
    const auto array = add_array(source, {"u", "d", 1, 8, 10}, plan::slots_rule(), 0, 2, &before);
    EXPECT_EQ(array->block.count, 5);
    const auto arrays = outgoing(source, {2, 2, &before, &after});
    EXPECT_EQ(arrays.at(0).before->count(0), 5);
    EXPECT_EQ(arrays.at(0).after->count(0), 2);

    Registry newcomer;
    keep_parts(newcomer, arrays, {make_block(arrays[0].spec, arrays[0].after, 1)});
    EXPECT_THROW(add_array(newcomer, {"u", "d", 1, 8, 10}, plan::slots_rule(), 1, 2, &before),
                 UsageError);
    EXPECT_EQ(
        add_array(newcomer, {"u", "d", 1, 8, 10}, plan::slots_rule(), 1, 2, &after)->block.count,
        8);
}

TEST(Registry, a_rule_that_changes_its_mind_is_named) {
    std::int64_t first = 1;
    const auto rule = plan::weighted_rule([&first](int parts) {
        std::vector<std::int64_t> weights(static_cast<std::size_t>(parts), 1);
        weights[0] = first;
        return weights;
    });
    Registry source;
    const ArraySpec spec{"u", "d", 1, 8, 10};
    add_array(source, spec, rule, 0, 2);
    freeze(source, "u");
    EXPECT_EQ(outgoing(source, {2, 3}).size(), 1U);
    EXPECT_EQ(outgoing_of(source.frozen.all(), {2, 3}).size(), 1U);
    first = 4;
    try {
        static_cast<void>(outgoing(source, {2, 3}));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("array 'u'"), std::string::npos) << error.what();
    }
    EXPECT_TRUE(outgoing_of(source.frozen.all(), {2, 3}).empty())
        << "it moves at the point, if at all";
}

TEST(Registry, distributions_that_differ_between_ranks_are_named) {
    Registry source, other;
    add_array(source, {"u", "d", 1, 8, 10}, first_has_all_but(2), 0, 2);
    add_array(other, {"u", "d", 1, 8, 10}, first_has_all_but(3), 1, 2);
    const PartCounts counts{2, 3};
    const auto state = unpack_state(pack_state(source, outgoing(source, counts)));
    try {
        expect_same(other, outgoing(other, counts), state);
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "the distribution of array 'u' by 'ranges' over 2 ranks is another "
                     "one on this rank than on rank 0");
    }
}

TEST(Registry, what_could_not_be_registered_is_not_there) {
    Registry registry;
    EXPECT_THROW(add_array(registry, {"u", "d", 1, 8, 11}, first_has_all_but(2), 0, 2), InputError);
    EXPECT_THROW(add_array(registry, {"v", "d", 1, INT64_MAX / 2, 10}, {}, 0, 1), InputError);
    EXPECT_TRUE(registry.arrays.empty());
    EXPECT_TRUE(outgoing(registry, {2, 3}).empty());
}

TEST(Registry, a_rule_that_gives_no_partition_is_named_with_its_array) {
    Registry registry;
    add_array(registry, {"u", "d", 1, 8, 10}, plan::listed_rule([](int parts, int part) {
                  if (parts > 2) throw std::runtime_error("not so many");
                  return std::vector<Range>{{part * 10 / parts, (part + 1) * 10 / parts}};
              }),
              0, 2);
    try {
        static_cast<void>(outgoing(registry, {2, 3}));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "array 'u' cannot be distributed over 3 ranks: not so many");
    }
}

/// Rank `rank` of a job with four records: 10 * rank, 10 * rank + 1, ...
struct WithRecords {
    std::vector<int> records;
    Registry registry;
    WithRecords(int rank, int shift) {
        for (int i = 0; i < 4; ++i) records.push_back(10 * rank + i);
        add_records(registry, {"p", "i", 1, sizeof(int)},
                    std::make_unique<Access>(records, Owner{shift}), rank);
    }
    struct Owner {
        int shift;
        int operator()(const int& record, int ranks) const { return record % ranks + shift; }
    };
    using Access = detail::VectorOfRecords<int, Owner>;
};

TEST(Registry, records_go_into_the_rows_of_their_owners) {
    WithRecords rank(1, 0);
    const auto arrays = outgoing(rank.registry, {2, 3});
    ASSERT_EQ(arrays.size(), 1u);
    const auto& part = arrays[0].old_part;
    EXPECT_EQ(part.partition->ranges(1), (std::vector<Range>{{1, 2}, {3, 4}, {5, 6}}));
    EXPECT_EQ(arrays[0].after->ranges(2), (std::vector<Range>{{4, 6}}));
    EXPECT_EQ(part.rows->starts, (std::vector<std::int64_t>{0, 1, 3, 4}));
    const auto* sorted = reinterpret_cast<const int*>(part.rows->values.get());
    EXPECT_EQ(std::vector<int>(sorted, sorted + 4), (std::vector<int>{12, 10, 13, 11}));
}

TEST(Registry, records_of_any_length_arrive_as_they_were) {
    using List = std::vector<int>;
    const auto first = [](const List& record, int ranks) { return record.at(0) % ranks; };
    using Access = detail::VectorOfLists<int, decltype(first)>;
    std::vector<List> records{{3, 30, 300}, {1}, {4, 40}, {0, 0, 0, 0}, {1, 11}};
    Registry registry;
    const ArraySpec spec{"p", "v", 1, 1};
    add_records(registry, spec, std::make_unique<Access>(records, first), 0);
    const auto arrays = outgoing(registry, {1, 3});
    const auto& part = arrays[0].old_part;
    const auto ints = [](std::size_t lists, std::size_t values) {
        return static_cast<std::int64_t>(lists * sizeof(std::uint64_t) + values * sizeof(int));
    };
    const auto of_0 = ints(2, 7), of_1 = ints(3, 5);
    EXPECT_EQ(part.rows->starts, (std::vector<std::int64_t>{0, of_0, of_0 + of_1, of_0 + of_1}));

    // A row of a newcomer, as it arrives from two ranks: row 1, followed by row 0.
    const auto* packed = part.rows->values.get();
    auto moved = make_block(arrays[0].spec, arrays[0].after, 1);
    *moved.rows = make_rows(arrays[0].spec, 1, std::vector<std::int64_t>{of_1 + of_0});
    std::memcpy(moved.rows->values.get(), packed + of_0, static_cast<std::size_t>(of_1));
    std::memcpy(moved.rows->values.get() + of_1, packed, static_cast<std::size_t>(of_0));
    Registry newcomer;
    keep_parts(newcomer, arrays, {moved});
    std::vector<List> mine{{99}};
    add_records(newcomer, spec, std::make_unique<Access>(mine, first), 1);
    EXPECT_EQ(mine, (std::vector<List>{{1}, {4, 40}, {1, 11}, {3, 30, 300}, {0, 0, 0, 0}}));
    adopt_parts(newcomer, {Block{}});
    EXPECT_TRUE(mine.empty()) << "it has parked";
}

TEST(Registry, records_without_an_owner_are_named) {
    WithRecords rank(0, 1);
    try {
        static_cast<void>(outgoing(rank.registry, {1, 3}));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(),
                     "the records 'p' cannot be redistributed: record 2 of 'p' belongs to rank 3 "
                     "of 3");
    }
}

TEST(Registry, records_that_arrive_are_the_vector) {
    WithRecords rank(1, 0);
    auto state = unpack_state(pack_state(rank.registry, outgoing(rank.registry, {2, 3})));
    ASSERT_EQ(state.arrays.size(), 1u);
    const auto& spec = state.arrays[0].spec;
    EXPECT_EQ(spec.kind, Elements::records);
    auto part = make_block(spec, state.arrays[0].after, 2);
    *part.rows = make_rows(spec, 2, std::vector<std::int64_t>{1, 2});
    const int arrived[] = {5, 6, 7};
    std::memcpy(part.rows->values.get(), arrived, sizeof(arrived));

    Registry newcomer;
    keep_parts(newcomer, state.arrays, {part});
    EXPECT_THROW(expect_claimed(newcomer), UsageError);
    std::vector<int> mine;
    const auto claim = [&](const ArraySpec& as) {
        add_records(newcomer, as,
                    std::make_unique<WithRecords::Access>(mine, WithRecords::Owner{0}), 2);
    };
    EXPECT_THROW(claim({"p", "l", 1, 8}), UsageError);
    claim({"p", "i", 1, sizeof(int)});
    EXPECT_EQ(mine, (std::vector<int>{5, 6, 7}));
    EXPECT_NO_THROW(expect_claimed(newcomer));
    EXPECT_THROW(claim({"p", "i", 1, sizeof(int)}), UsageError) << "the name is taken";

    adopt_parts(newcomer, {Block{}});
    EXPECT_TRUE(mine.empty()) << "it has parked";
    EXPECT_FALSE(outgoing(newcomer, {2, 3})[0].old_part.rows);
}

TEST(Registry, rows_have_the_lengths_that_they_are_given) {
    Registry registry;
    const auto array = add_array(registry, {"a", "d", 1, 8, 5, "", {}, Elements::rows}, {}, 0, 2);
    EXPECT_EQ(array->block.rows->starts, (std::vector<std::int64_t>{0, 0, 0, 0}));
    detail::set_row_lengths(*array, std::vector<std::int64_t>{2, 0, 1});
    EXPECT_EQ(array->block.rows->starts, (std::vector<std::int64_t>{0, 2, 2, 3}));
    for (int byte = 0; byte < 24; ++byte) EXPECT_EQ(array->block.rows->values[byte], std::byte{0});
    EXPECT_THROW(detail::set_row_lengths(*array, std::vector<std::int64_t>{2, 0}), InputError);
    EXPECT_THROW(detail::set_row_lengths(*array, std::vector<std::int64_t>{2, 0, -1}), InputError);
    EXPECT_THROW(detail::set_row_lengths(*array, std::vector<std::int64_t>{INT64_MAX, 1, 1}),
                 InputError);
}

class EveryKindOfPartition : public testing::TestWithParam<plan::Partition> {};

TEST_P(EveryKindOfPartition, comes_back_from_json_as_it_was) {
    EXPECT_EQ(partition_from_json(nlohmann::json::parse(partition_to_json(GetParam()).dump())),
              GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, EveryKindOfPartition,
                         testing::Values(plan::Partition(plan::BlockDistribution{10, 3}),
                                         plan::Partition::weighted(10, {1, 0, 2}),
                                         plan::Partition::cyclic(10, 3, 2),
                                         plan::Partition::listed(4, {{{0, 1}, {3, 4}}, {{1, 3}}}),
                                         plan::Partition::grid({2, 5}, {1, 3})));

TEST(PartitionFromJson, refuses_what_is_none) {
    for (const char* text : {R"({"kind":"blocks","elements":4,"parts":0})", R"({"kind":"odd"})",
                             R"({"kind":"listed","elements":4,"ranges":[[[0,3]]]})"})
        EXPECT_THROW(partition_from_json(nlohmann::json::parse(text)), InputError) << text;
}

TEST(Block, too_large_is_said_with_the_array) {
    try {
        make_block({"u", "d", 1, INT64_MAX / 2, 10}, partition_of(plan::BlockDistribution{10, 1}),
                   0);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("'u'"), std::string::npos);
    }
}

TEST(Block, in_the_programs_memory_is_zero_and_goes_back_to_it) {
    std::atomic<std::int64_t> in_use = 0;
    Registry registry;
    registry.homes["u"] = FarMemory::home(in_use);
    EXPECT_EQ(homes_of_none(registry), std::vector<std::string>{"u"});
    {
        const auto u = add_array(registry, {"u", "d", 1, 8, 300'000, "", {2, 0}}, {}, 1, 2);
        const auto v = add_array(registry, {"v", "d", 1, 8, 10}, {}, 1, 2);
        EXPECT_TRUE(is_far(u->block));
        EXPECT_FALSE(is_far(v->block));
        EXPECT_TRUE(homes_of_none(registry).empty());
        EXPECT_GE(in_use, 150'002 * 8);
        std::vector<double> values(150'000, 1.0);
        u->block.home->copy_out(values.data(), u->block.memory.get(), values.size() * 8);
        EXPECT_EQ(values, std::vector<double>(150'000));
        const auto moving = outgoing(registry, {2, 3});
        EXPECT_EQ(moving[0].home, registry.homes["u"]);
        EXPECT_EQ(moving[1].home, nullptr);
        EXPECT_TRUE(is_far(allocate_parts(core::Rank{0}, {{}, {core::Rank{0}}}, moving)[0]));
        registry.arrays.clear();
    }
    EXPECT_EQ(in_use, 0);
}

TEST(Block, of_rows_is_in_ordinary_memory) {
    std::atomic<std::int64_t> in_use = 0;
    Registry registry;
    registry.homes["r"] = FarMemory::home(in_use);
    ArraySpec spec{"r", "d", 1, 8, 10};
    spec.kind = Elements::rows;
    EXPECT_THROW(add_array(registry, spec, {}, 0, 2), UsageError);
}

TEST(Block, a_lack_of_the_programs_memory_is_said_with_the_array) {
    ArrayMemory none;
    none.allocate = [](std::size_t) { return nullptr; };
    none.free = [](void*, std::size_t) { FAIL() << "nothing was taken"; };
    try {
        make_block({"u", "d", 1, 8, 10}, partition_of(plan::BlockDistribution{10, 1}), 0,
                   std::make_shared<const ArrayMemory>(none));
        FAIL();
    } catch (const SystemError& error) {
        EXPECT_NE(std::string(error.what()).find("80 bytes"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("'u'"), std::string::npos);
    }
}

TEST(Block, given_away_memory_is_freed_by_the_program) {
    auto block = make_block({"u", "d", 1, 8, 10}, partition_of(plan::BlockDistribution{10, 2}), 1);
    auto* memory = give_away_memory(block);
    EXPECT_EQ(block.memory.get(), memory);
    EXPECT_EQ(give_away_memory(block), memory);
    block = {};
    memory[39] = std::byte{7};  // AddressSanitizer checks that it still exists
    std::free(memory);          // NOLINT(cppcoreguidelines-no-malloc)
}

TEST(Block, borrowed_memory_stays_the_programs) {
    std::vector<std::byte> memory(40);
    auto block = borrow_block(memory.data(), partition_of(plan::BlockDistribution{10, 2}), 1);
    EXPECT_EQ(block.offset, 5);
    EXPECT_EQ(block.count, 5);
    EXPECT_EQ(give_away_memory(block), memory.data());
}

TEST(Registry, an_array_may_lie_in_the_programs_memory) {
    std::vector<std::byte> memory(40);
    Registry registry;
    const auto array = add_borrowed_array(registry, {"u", "d", 1, 8, 10}, memory.data(), 1, 2);
    EXPECT_EQ(array->block.memory.get(), memory.data());
    EXPECT_EQ(array->spec.rule, "blocks");
    EXPECT_NO_THROW(expect_claimed(registry));
    EXPECT_THROW(add_borrowed_array(registry, {"u", "d", 1, 8, 10}, memory.data(), 1, 2),
                 UsageError);
    EXPECT_EQ(outgoing(registry, {2, 3}).front().old_part.memory.get(), memory.data());
}

}  // namespace
}  // namespace ductile::data::registry_test
