#include "data/moved_ahead.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "data/registry.hpp"
#include "ductile/error.hpp"
#include "ductile/part.hpp"
#include "far_memory.hpp"

namespace ductile::data::moved_ahead_test {
namespace {

ArraySpec spec_named(const std::string& name) {
    return {name, "i", 1, sizeof(int), 12};
}

/// A rank of two that has arrays `a`, `b` and `c`, of which `a` and `c` are frozen.
struct Rank0 {
    Registry registry;
    Rank0() {
        for (const auto* name : {"a", "b", "c"}) {
            const auto array = add_array(registry, spec_named(name), {}, 0, 2);
            auto* values = reinterpret_cast<int*>(array->block.memory.get());
            std::iota(values, values + 6, 0);
        }
        freeze(registry, "a");
        freeze(registry, "c");
    }
    [[nodiscard]] std::vector<Outgoing> frozen() const {
        return outgoing_of(registry.frozen.all(), {2, 3});
    }
    [[nodiscard]] MovedAhead ahead() const {
        MovedAhead moved;
        moved.arrays = frozen();
        moved.parts = allocate_parts(core::Rank{0}, parties, moved.arrays);
        return moved;
    }
    [[nodiscard]] std::vector<Outgoing> now() const { return outgoing(registry, {2, 3}); }
    Parties parties{{core::Rank{0}, core::Rank{1}}, {core::Rank{0}, core::Rank{1}, core::Rank{2}}};
};

std::vector<std::string> names(const std::vector<Outgoing>& arrays) {
    std::vector<std::string> all;
    for (const auto& array : arrays) all.push_back(array.spec.name);
    return all;
}
using Names = std::vector<std::string>;

TEST(FrozenArrays, AreThoseThatTheProgramHasFrozen) {
    Rank0 rank;
    EXPECT_EQ(names(rank.frozen()), (Names{"a", "c"}));
    EXPECT_TRUE(rank.registry.arrays.at("a")->spec.frozen);
    EXPECT_THROW(freeze(rank.registry, "d"), UsageError);
}

TEST(FrozenArrays, AreThoseOfTheLastResize) {
    Rank0 rank;
    const auto parts = allocate_parts(core::Rank{2}, rank.parties, rank.now());
    const auto* before = rank.registry.arrays.at("b")->block.memory.get();
    EXPECT_EQ(adopt_parts(rank.registry, parts).at(1).memory.get(), before);
    const auto frozen = rank.registry.frozen.all();
    ASSERT_EQ(frozen.size(), 2u);
    EXPECT_EQ(frozen[0].block.memory, parts[0].memory);
    EXPECT_EQ(frozen[1].block.memory, parts[2].memory);
}

TEST(FrozenArrays, ArriveFrozenAndAreOfUseWhenTheyAreRegistered) {
    const Rank0 source;
    const auto arrays = source.now();
    Registry newcomer;
    keep_parts(newcomer, arrays, allocate_parts(core::Rank{2}, source.parties, arrays));
    EXPECT_TRUE(newcomer.frozen.all().empty()) << "their rules are not known";
    for (const auto* name : {"a", "b", "c"}) add_array(newcomer, spec_named(name), {}, 2, 3);
    EXPECT_EQ(names(outgoing_of(newcomer.frozen.all(), {3, 4})), (Names{"a", "c"}));
}

TEST(FrozenArrays, OneWhoseRuleFailsIsLeftToThePoint) {
    Registry registry;
    const auto rule = plan::listed_rule([](int parts, int part) -> std::vector<Range> {
        if (parts == 3) throw std::runtime_error("3 are bad luck");
        return {{part * 12 / parts, (part + 1) * 12 / parts}};
    });
    add_array(registry, spec_named("a"), rule, 0, 2);
    add_array(registry, spec_named("b"), {}, 0, 2);
    freeze(registry, "a");
    freeze(registry, "b");
    EXPECT_EQ(names(outgoing_of(registry.frozen.all(), {2, 3})), (Names{"b"}));
    EXPECT_EQ(names(outgoing_of(registry.frozen.all(), {2, 4})), (Names{"a", "b"}));
}

TEST(FrozenArrays, RowsKeepTheirLengths) {
    Registry registry;
    auto spec = spec_named("r");
    spec.kind = Elements::rows;
    const auto rows = add_array(registry, spec, {}, 0, 1);
    const std::vector<std::int64_t> lengths(12, 2);
    detail::set_row_lengths(*rows, lengths);
    freeze(registry, "r");
    EXPECT_THROW(detail::set_row_lengths(*rows, lengths), UsageError);
}

TEST(FrozenArrays, ARuleMayThrowAnything) {
    Registry registry;
    const auto rule = plan::listed_rule([](int parts, int part) -> std::vector<Range> {
        if (parts == 3) throw 42;  // NOLINT(hicpp-exception-baseclass)
        return {{part * 12 / parts, (part + 1) * 12 / parts}};
    });
    add_array(registry, spec_named("a"), rule, 0, 2);
    freeze(registry, "a");
    EXPECT_TRUE(outgoing_of(registry.frozen.all(), {2, 3}).empty());
    EXPECT_THROW(outgoing(registry, {2, 3}), InputError);
}

TEST(MovedAhead, OfFarMemoryHasSumsToo) {
    std::atomic<std::int64_t> in_use = 0;
    Registry registry;
    registry.homes["a"] = FarMemory::home(in_use);
    const auto array = add_array(registry, spec_named("a"), {}, 0, 2);
    freeze(registry, "a");
    MovedAhead ahead;
    ahead.arrays = outgoing_of(registry.frozen.all(), {2, 3});
    ahead.sums = sums_of_parts(ahead.arrays);
    EXPECT_EQ(changed_since(ahead, outgoing(registry, {2, 3})), std::nullopt);
    const int one = 1;
    array->block.home->copy_in(array->block.memory.get(), &one, sizeof one);
    EXPECT_NE(changed_since(ahead, outgoing(registry, {2, 3})), std::nullopt);
}

TEST(MovedAhead, IsWhatAllHoldAlike) {
    const Rank0 rank;
    const auto mine = rank.frozen();
    auto offered = mine;
    for (auto& array : offered) array.old_part = {};
    EXPECT_EQ(held_alike(mine, offered), (std::vector<std::uint8_t>{1, 1}));
    offered[1].after = offered[1].before;
    EXPECT_EQ(held_alike(mine, offered), (std::vector<std::uint8_t>{1, 0}));
    offered[0].spec.width = 2;
    EXPECT_EQ(held_alike(mine, offered), (std::vector<std::uint8_t>{0, 0}));
    EXPECT_EQ(held_alike({}, mine), (std::vector<std::uint8_t>{0, 0}));

    const auto chosen = chosen_of(offered, {0, 1}, mine);
    ASSERT_EQ(names(chosen), (Names{"c"}));
    EXPECT_EQ(chosen[0].old_part.memory, mine[1].old_part.memory) << "a source gives its own part";
    EXPECT_EQ(names(chosen_of(offered, {1, 1}, {})), (Names{"a", "c"}));
}

TEST(MovedAhead, IsOfUseWhileTheArraysAreTheSame) {
    Rank0 rank;
    const auto ahead = rank.ahead();
    EXPECT_EQ(changed_since(ahead, rank.now()), std::nullopt);
    EXPECT_NE(changed_since(ahead, outgoing(rank.registry, {2, 4})), std::nullopt);
    const auto before = rank.registry.arrays.at("a")->block;
    rank.registry.arrays.erase("a");
    EXPECT_NE(changed_since(ahead, rank.now()), std::nullopt) << "it has gone";
    add_array(rank.registry, spec_named("a"), {}, 0, 2);
    freeze(rank.registry, "a");
    const auto why = changed_since(ahead, rank.now());
    ASSERT_TRUE(why) << "another one has its name";
    EXPECT_NE(why->find("array 'a'"), std::string::npos);
}

TEST(MovedAhead, IsVerifiedByItsSums) {
    Rank0 rank;
    auto ahead = rank.ahead();
    ahead.sums = sums_of_parts(ahead.arrays);
    EXPECT_EQ(changed_since(ahead, rank.now()), std::nullopt);
    rank.registry.arrays.at("c")->block.memory[5] ^= std::byte{1};
    const auto why = changed_since(ahead, rank.now());
    ASSERT_TRUE(why);
    EXPECT_NE(why->find("array 'c' is frozen, and has been written to"), std::string::npos);
    ahead.sums.clear();
    EXPECT_EQ(changed_since(ahead, rank.now()), std::nullopt) << "nobody has asked";
}

TEST(MovedAhead, DoesNotMoveAgain) {
    const Rank0 rank;
    const auto ahead = rank.ahead();
    const auto arrays = rank.now();
    const auto parts = parts_with(ahead, core::Rank{0}, rank.parties, arrays);
    ASSERT_EQ(parts.size(), 3u);
    EXPECT_EQ(parts[0].memory, ahead.parts[0].memory);
    EXPECT_EQ(parts[2].memory, ahead.parts[1].memory);
    EXPECT_EQ(parts[1].count, 4);
    const auto rest = rest_after(ahead, {rank.parties, arrays, parts, true});
    EXPECT_EQ(names(rest.arrays), (Names{"b"}));
    ASSERT_EQ(rest.new_parts.size(), 1u);
    EXPECT_EQ(rest.new_parts[0].memory, parts[1].memory);
    EXPECT_TRUE(rest.verify);
    EXPECT_EQ(names(rest_after({}, {rank.parties, arrays, parts}).arrays), (Names{"a", "b", "c"}));
}

}  // namespace
}  // namespace ductile::data::moved_ahead_test
