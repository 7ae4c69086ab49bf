// What sources and newcomers know about each other before they join, and what rank 0 tells them. No
// MPI runs here, but in joined_sides_test.cpp.
#include "engine/join.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "ductile/error.hpp"
#include "wire/fields.hpp"

namespace ductile::engine::join_test {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Rank;

/// `ranks` hosts with one rank each.
std::vector<core::RankRange> one_a_host(int ranks) {
    std::vector<core::RankRange> everybody;
    for (int i = 0; i < ranks; ++i) everybody.push_back({GroupId{i}, HostIndex{i}, Rank{0}, 1});
    return everybody;
}

TEST(PartnersBeyond, are_those_of_the_other_side_in_its_own_ranks) {
    const auto everybody = one_a_host(5);
    const int sources = 2;
    for (int source = 0; source < sources; ++source)
        for (const int newcomer : partners_beyond(everybody, sources, Rank{source})) {
            EXPECT_GE(newcomer, 0);
            EXPECT_LT(newcomer, 3);
        }
    for (int newcomer = 0; newcomer < 3; ++newcomer)
        for (const int source : partners_beyond(everybody, sources, Rank{sources + newcomer}))
            EXPECT_LT(source, sources);
}

// If a rank waits for a greeting from a partner, this partner sends one.
TEST(PartnersBeyond, know_each_other) {
    for (const bool one_machine : {false, true}) {
        if (one_machine) ::setenv("DUCTILE_ONE_MACHINE", "1", 1);
        for (int sources = 1; sources <= 6; ++sources)
            for (int newcomers = 1; newcomers <= 6; ++newcomers) {
                const auto everybody = one_a_host(sources + newcomers);
                for (int source = 0; source < sources; ++source)
                    for (int newcomer = 0; newcomer < newcomers; ++newcomer) {
                        const auto of_source = partners_beyond(everybody, sources, Rank{source});
                        const auto of_newcomer =
                            partners_beyond(everybody, sources, Rank{sources + newcomer});
                        EXPECT_EQ(std::ranges::count(of_source, newcomer),
                                  std::ranges::count(of_newcomer, source));
                    }
            }
    }
    ::unsetenv("DUCTILE_ONE_MACHINE");
}

TEST(JoinState, comes_back_as_it_was_packed) {
    JoinState state;
    state.point = 41;
    state.layout.active = {{GroupId{0}, HostIndex{0}, Rank{0}, 2},
                           {GroupId{3}, HostIndex{1}, Rank{1}, 4}};
    state.layout.parked = {{GroupId{0}, HostIndex{0}, Rank{2}, 1}};
    state.targets = {Rank{0}, Rank{3}, Rank{2}};
    state.packed = std::string("\0binary\xff", 8);
    state.redistribution = plan::Executor::rma_lockall;
    state.memory = plan::Memory::tight;
    const auto again = unpack_join_state(pack_join_state(state));
    EXPECT_EQ(again.point, state.point);
    EXPECT_EQ(again.layout, state.layout);
    EXPECT_EQ(again.targets, state.targets);
    EXPECT_EQ(again.packed, state.packed);
    EXPECT_EQ(again.redistribution, state.redistribution);
    EXPECT_EQ(again.memory, state.memory);
}

TEST(JoinState, what_is_none_is_refused) {
    const auto good = pack_join_state({});
    for (const auto& bytes : {std::string{}, std::string{"x"}, good.substr(0, good.size() - 1)})
        EXPECT_THROW(unpack_join_state(bytes), Error);
}

/// A packed state in which one field has another value.
std::string packed_with(const std::string& field, const wire::Json& value) {
    const auto good = pack_join_state({});
    auto changed = wire::Json::from_cbor(good);
    changed.at(field) = value;
    const auto bytes = wire::Json::to_cbor(changed);
    return {bytes.begin(), bytes.end()};
}

TEST(JoinState, a_field_that_says_nothing_known_is_refused) {
    EXPECT_EQ(unpack_join_state(packed_with("point", 3)).point, 3);
    for (const auto& [field, value] : std::vector<std::pair<std::string, wire::Json>>{
             {"point", "three"},
             {"layout", 3},
             {"targets", "all"},
             {"redistribution", "by hand"},
             {"redistribution", std::string(plan::to_string(plan::Executor::automatic))},
             {"memory", "much"},
             {"state", "text"}})
        EXPECT_THROW(unpack_join_state(packed_with(field, value)), Error) << field << " " << value;
}

TEST(PartiesOf, are_the_sources_and_who_the_state_names) {
    JoinState state;
    state.targets = {Rank{3}, Rank{0}};
    const auto parties = parties_of(state, 2, 4);
    EXPECT_EQ(parties.sources, first_ranks(2));
    EXPECT_EQ(parties.targets, state.targets);
}

TEST(PartiesOf, ranks_that_are_not_there_are_refused) {
    for (const int rank : {-1, 4}) {
        JoinState state;
        state.targets = {Rank{0}, Rank{rank}};
        EXPECT_THROW(parties_of(state, 2, 4), Error) << rank;
    }
}

TEST(TargetsOf, are_in_the_order_of_their_ranks_afterwards) {
    core::Layout sources;
    sources.active = {{GroupId{0}, HostIndex{0}, Rank{0}, 2},
                      {GroupId{1}, HostIndex{1}, Rank{0}, 1}};
    const core::Group added{GroupId{2}, HostIndex{2}, 2};
    const auto joined = sources.with({added});
    EXPECT_EQ(targets_of(joined, joined),
              (std::vector{Rank{0}, Rank{1}, Rank{2}, Rank{3}, Rank{4}}));
    EXPECT_EQ(targets_of(joined, sources.with_between({added}, {Rank{0}, Rank{2}, Rank{4}})),
              (std::vector{Rank{0}, Rank{3}, Rank{1}, Rank{4}, Rank{2}}));
    EXPECT_EQ(targets_of(joined, core::Layout::of({added})), (std::vector{Rank{3}, Rank{4}}));
}

TEST(RanksThatStay, rise_whatever_the_later_order) {
    core::Layout before;
    before.active = {{GroupId{0}, HostIndex{0}, Rank{0}, 2},
                     {GroupId{1}, HostIndex{1}, Rank{0}, 2}};
    core::Layout later;
    later.active = {{GroupId{1}, HostIndex{1}, Rank{1}, 1},
                    {GroupId{0}, HostIndex{0}, Rank{0}, 1},
                    {GroupId{2}, HostIndex{2}, Rank{0}, 1}};
    EXPECT_EQ(ranks_that_stay(before, later), (std::vector{Rank{0}, Rank{3}}));
    const BeforeParking all{nullptr, before};
    EXPECT_EQ(ranks_before(all, later), (std::vector{Rank{3}, Rank{0}}));
    EXPECT_EQ(first_ranks(2), (std::vector{Rank{0}, Rank{1}}));
}

}  // namespace
}  // namespace ductile::engine::join_test
