#include "data/local_moves.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "data/two_steps.hpp"
#include "plan/rule.hpp"

namespace ductile::data::local_moves_test {
namespace {

using core::Rank;

/// All ranks of a redistribution in one process: the memory and the moves of each.
struct World {
    Parties parties;
    std::vector<std::vector<Outgoing>> old_parts;  ///< by rank
    std::vector<std::vector<Block>> new_parts;
    std::vector<LocalMoves> moves;
};

std::byte value_of(std::int64_t element, std::int64_t byte) {
    return static_cast<std::byte>((element * 131 + byte * 31 + (element >> 7)) & 0xff);
}

/// The number of values in a row: 0 to 3.
std::int64_t length_of(std::int64_t row) {
    return row * 7 % 4;
}

void give_lengths(const ArraySpec& spec, const Block& part) {
    if (!part.rows) return;
    std::vector<std::int64_t> lengths;
    for (std::int64_t i = 0; i < part.count; ++i)
        lengths.push_back(length_of(part.partition->to_global(part.part, i)));
    *part.rows = make_rows(spec, part.count, lengths);
}

/// Calls visit(byte in memory, element, byte of the element).
template <class Visit>
void for_each_byte(const ArraySpec& spec, const Block& part, Visit visit) {
    for (std::int64_t i = 0; i < part.count; ++i)
        for (std::int64_t b = 0; b < bytes_of(spec, part, i, 1); ++b)
            visit(memory_at(spec, part, i)[b], part.partition->to_global(part.part, i), b);
}

void fill(const ArraySpec& spec, const Block& part) {
    for_each_byte(spec, part, [](std::byte& in_memory, std::int64_t element, std::int64_t byte) {
        in_memory = value_of(element, byte);
    });
}

bool does_move(const ArraySpec& spec, std::int64_t byte) {
    return spec.moving.empty() || std::ranges::any_of(spec.moving, [&](const Stretch& stretch) {
               return stretch.offset <= byte && byte < stretch.end();
           });
}

/// Whether each byte that moves has its value.
bool holds_its_elements(const ArraySpec& spec, const Block& part) {
    bool holds = true;
    for_each_byte(spec, part, [&](std::byte in_memory, std::int64_t element, std::int64_t byte) {
        holds = holds && (!does_move(spec, byte) || in_memory == value_of(element, byte));
    });
    return holds;
}

/// An array, and the rule by which it is distributed.
struct Given {
    ArraySpec spec;
    plan::Rule rule;
};

SharedPartition partition_by(const Given& array, const std::vector<Rank>& ranks) {
    return std::make_shared<const plan::Partition>(
        array.rule.partition(array.spec.elements, static_cast<int>(ranks.size())));
}

World make_world(int ranks, const Parties& parties, const std::vector<Given>& given,
                 const PacketLimits& limits, plan::Slice slice = {}) {
    World world{parties, {}, {}, {}};
    for (int me = 0; me < ranks; ++me) {
        std::vector<Outgoing> arrays;
        for (const auto& one : given) {
            Outgoing array;
            array.spec = one.spec;
            array.before = partition_by(one, parties.sources);
            array.after = partition_by(one, parties.targets);
            const auto at = std::ranges::find(parties.sources, Rank{me});
            if (at != parties.sources.end()) {
                array.old_part = make_block(array.spec, array.before,
                                            static_cast<int>(at - parties.sources.begin()));
                give_lengths(array.spec, array.old_part);
                fill(array.spec, array.old_part);
            }
            arrays.push_back(array);
        }
        world.new_parts.push_back(allocate_parts(Rank{me}, parties, arrays));
        for (std::size_t i = 0; i < arrays.size(); ++i)
            give_lengths(arrays[i].spec, world.new_parts.back()[i]);
        world.moves.push_back(local_moves(Rank{me}, plans_of(Rank{me}, parties, arrays), arrays,
                                          world.new_parts.back(), slice, limits));
        world.old_parts.push_back(std::move(arrays));
    }
    return world;
}

std::vector<std::byte> content(const Packet& packet) {
    std::vector<std::byte> bytes;
    for (const auto& segment : packet.segments)
        bytes.insert(bytes.end(), segment.memory, segment.memory + segment.bytes);
    return bytes;
}

void put(const Packet& packet, const std::vector<std::byte>& bytes) {
    auto from = bytes.begin();
    for (const auto& segment : packet.segments) {
        std::copy_n(from, segment.bytes, segment.memory);
        from += segment.bytes;
    }
}

/// Carries all moves out by copies. Packets from one rank to another are matched in order.
void carry_out(World& world) {
    std::map<std::pair<Rank, Rank>, std::vector<Packet>> sent;
    for (std::size_t me = 0; me < world.moves.size(); ++me)
        for (const auto& packet : world.moves[me].sent)
            sent[{Rank{static_cast<int>(me)}, packet.peer}].push_back(packet);
    std::map<std::pair<Rank, Rank>, std::size_t> taken;
    for (std::size_t me = 0; me < world.moves.size(); ++me) {
        for (const auto& kept : world.moves[me].kept) std::memcpy(kept.to, kept.from, kept.bytes);
        for (const auto& packet : world.moves[me].received) {
            const std::pair pair{packet.peer, Rank{static_cast<int>(me)}};
            const auto& from = sent[pair].at(taken[pair]++);
            ASSERT_EQ(from.bytes, packet.bytes);
            put(packet, content(from));
        }
    }
    for (const auto& [pair, packets] : sent) EXPECT_EQ(taken[pair], packets.size());
}

plan::Rule some_rule() {
    switch (*rc::gen::inRange(0, 4)) {
        case 0:
            return {};
        case 1:
            return plan::cyclic_rule(*rc::gen::inRange<std::int64_t>(1, 12));
        case 2: {
            const auto first = *rc::gen::inRange<std::int64_t>(0, 4);
            return plan::weighted_rule([first](int parts) {
                std::vector<std::int64_t> weights(static_cast<std::size_t>(parts), 2);
                weights.front() = first + (parts == 1 ? 1 : 0);
                return weights;
            });
        }
        default:
            return plan::listed_rule([](int parts, int part) {
                if (part != parts - 1) return std::vector<Range>{};
                return std::vector<Range>{{0, 60}};
            });
    }
}

/// Random parts of an element that move. Empty in a third of the cases: then all of it moves.
std::vector<Stretch> some_stretches(std::int64_t element_bytes) {
    std::vector<Stretch> stretches;
    if (*rc::gen::inRange(0, 3) == 0) return stretches;
    for (std::int64_t at = *rc::gen::inRange<std::int64_t>(0, element_bytes); at < element_bytes;) {
        stretches.push_back({at, *rc::gen::inRange<std::int64_t>(1, element_bytes - at + 1)});
        at = stretches.back().end() + *rc::gen::inRange<std::int64_t>(1, 5);
    }
    return stretches;
}

struct Wanted {
    int ranks = 1;
    Parties parties;
    std::vector<Given> arrays;
    PacketLimits limits;
};

Wanted some_moves() {
    const int ranks = *rc::gen::inRange(1, 9);
    const auto some = [ranks] {
        std::vector<Rank> chosen;
        const int only = *rc::gen::inRange(0, ranks);
        for (int i = 0; i < ranks; ++i)
            if (i == only || *rc::gen::arbitrary<bool>()) chosen.push_back(Rank{i});
        return chosen;
    };
    const Parties parties{some(), some()};
    std::vector<Given> arrays;
    for (int i = 0; i < 3; ++i) {
        const auto rule = some_rule();
        const auto elements = rule.name() == "ranges" ? 60 : *rc::gen::inRange<std::int64_t>(0, 60);
        arrays.push_back({{std::string(1, static_cast<char>('a' + i)),
                           "d",
                           1,
                           *rc::gen::inRange<std::int64_t>(1, 20),
                           elements,
                           rule.name(),
                           {},
                           *rc::gen::arbitrary<bool>() ? Elements::rows : Elements::fixed},
                          rule});
        auto& spec = arrays.back().spec;
        if (spec.kind == Elements::fixed) spec.moving = some_stretches(spec.element_bytes);
    }
    const PacketLimits limits{
        *rc::gen::inRange<std::int64_t>(1, 100), *rc::gen::inRange<std::int64_t>(1, 100),
        *rc::gen::inRange<std::size_t>(1, 5), *rc::gen::inRange<std::int64_t>(1, 100)};
    return {ranks, parties, arrays, limits};
}

RC_GTEST_PROP(LocalMoves, all_data_come_to_their_new_places, ()) {
    const auto [ranks, parties, arrays, limits] = some_moves();
    auto world = make_world(ranks, parties, arrays, limits);
    carry_out(world);
    RC_ASSERT(!::testing::Test::HasFailure());
    for (const auto& parts : world.new_parts)
        for (std::size_t i = 0; i < arrays.size(); ++i)
            RC_ASSERT(holds_its_elements(arrays[i].spec, parts[i]));
    for (const auto& moves : world.moves)
        for (const auto* packets : {&moves.sent, &moves.received})
            for (const auto& packet : *packets) {
                RC_ASSERT(packet.bytes > 0);
                RC_ASSERT(packet.bytes <= limits.bytes);
                RC_ASSERT(packet.segments.size() <= limits.segments);
                const auto last = packet.segments.back().bytes;  // added to a small packet
                RC_ASSERT(packet.bytes == last || packet.bytes - last < limits.together);
            }
}

// Moves in slices, each with new plans for the same memory. The test overwrites departed memory,
// because no later slice may read it.
RC_GTEST_PROP(LocalMoves, slices_bring_all_data_and_say_what_has_departed, ()) {
    const auto wanted = some_moves();
    const int of = *rc::gen::inRange(2, 8);
    auto world = make_world(wanted.ranks, wanted.parties, wanted.arrays, wanted.limits, {0, of});
    std::vector<std::int64_t> came(world.moves.size()), departed(world.moves.size());
    for (int index = 0; index < of; ++index) {
        for (std::size_t me = 0; me < world.moves.size(); ++me) {
            const Rank rank{static_cast<int>(me)};
            const auto& old = world.old_parts[me];
            world.moves[me] = local_moves(rank, plans_of(rank, wanted.parties, old), old,
                                          world.new_parts[me], {index, of}, wanted.limits);
        }
        carry_out(world);
        RC_ASSERT(!::testing::Test::HasFailure());
        for (std::size_t me = 0; me < world.moves.size(); ++me)
            for (const auto& [memory, bytes] : world.moves[me].departed) {
                departed[me] += static_cast<std::int64_t>(bytes);
                std::memset(const_cast<std::byte*>(memory), 0xee, bytes);
            }
    }
    for (std::size_t me = 0; me < world.moves.size(); ++me) {
        std::int64_t had = 0;
        for (std::size_t i = 0; i < wanted.arrays.size(); ++i) {
            const auto& spec = wanted.arrays[i].spec;
            RC_ASSERT(holds_its_elements(spec, world.new_parts[me][i]));
            const auto& old = world.old_parts[me][i].old_part;
            if (old.partition) had += bytes_of(spec, old, 0, old.count);
        }
        RC_ASSERT(departed[me] == had);
    }
}

// The lengths go first, and say how much memory the values need.
TEST(TwoSteps, lengths_go_before_values) {
    const Parties parties{{Rank{0}}, {Rank{0}, Rank{1}}};
    const std::vector<Given> given{{{"u", "d", 1, 8, 4}, {}},
                                   {{"a", "d", 1, 8, 4, "blocks", {}, Elements::rows}, {}}};
    auto world = make_world(2, parties, given, {});
    const auto fresh = allocate_parts(Rank{1}, parties, world.old_parts[1]);
    const Movement to_1{parties, world.old_parts[1], fresh};
    const auto first = first_step(to_1);
    ASSERT_EQ(first.arrays.size(), 2u);
    EXPECT_EQ(first.arrays[0].spec, given[0].spec);
    EXPECT_EQ(first.arrays[1].spec.element_bytes, 8);
    EXPECT_EQ(first.arrays[1].spec.kind, Elements::fixed);
    const auto sent = first_step({parties, world.old_parts[0], world.new_parts[0]});
    auto* lengths = reinterpret_cast<std::int64_t*>(sent.arrays[1].old_part.memory.get());
    EXPECT_EQ(std::vector<std::int64_t>(lengths, lengths + 4),
              (std::vector<std::int64_t>{0, 3, 2, 1}));

    std::copy_n(lengths + 2, 2, reinterpret_cast<std::int64_t*>(first.new_parts[1].memory.get()));
    const auto second = second_step(to_1, first);
    ASSERT_EQ(second.arrays.size(), 1u);
    EXPECT_EQ(fresh[1].rows->starts, (std::vector<std::int64_t>{0, 2, 3}));
    EXPECT_EQ(second.new_parts[0].rows, fresh[1].rows);
    EXPECT_TRUE(second_step({parties, {}, {}}, first_step({parties, {}, {}})).arrays.empty());
}

// 10 elements of 4 bytes from ranks {0, 1} to {0, 1, 2, 3}: see plan_transfer.
TEST(LocalMoves, what_moves_is_counted_and_cut) {
    const auto world = make_world(4, {{Rank{0}, Rank{1}}, {Rank{0}, Rank{1}, Rank{2}, Rank{3}}},
                                  {{{"u", "f", 1, 4, 10}, {}}}, {4, 100, 10});
    EXPECT_EQ(world.moves[0].moved, (Moved{8, 12}));   // [3,5) to rank 1; keeps [0,3)
    EXPECT_EQ(world.moves[1].moved, (Moved{16, 12}));  // [6,10); gets [3,5), keeps [5,6)
    EXPECT_EQ(world.moves[3].moved, (Moved{0, 8}));
    EXPECT_EQ(world.moves[0].sent.size(), 2u);
    EXPECT_EQ(world.moves[1].received.size(), 2u);
    ASSERT_EQ(world.moves[0].kept.size(), 1u);
    EXPECT_EQ(world.moves[0].kept[0].bytes, 12u);
}

TEST(LocalMoves, of_elements_that_move_in_part_only_that_is_sent) {
    ArraySpec spec{"u", "particle", 1, 24, 10};
    spec.moving = {{0, 4}, {16, 2}};
    const auto world =
        make_world(4, {{Rank{0}, Rank{1}}, {Rank{0}, Rank{1}, Rank{2}, Rank{3}}}, {{spec, {}}}, {});
    EXPECT_EQ(world.moves[0].moved, (Moved{12, 72}));
    EXPECT_EQ(world.moves[0].sent[0].segments.size(), 4u);
    EXPECT_EQ(world.moves[0].kept[0].bytes, 3u * 24);
}

// Many small transfers between two ranks are one message, a large one is its own.
TEST(LocalMoves, small_transfers_share_a_packet) {
    const Parties parties{{Rank{0}}, {Rank{0}, Rank{1}}};
    const std::vector<Given> arrays{
        {{"a", "d", 1, 8, 100, "blocks of 1 in turn"}, plan::cyclic_rule(1)},
        {{"b", "d", 1, 8, 1000}, {}},
        {{"c", "d", 1, 8, 100, "blocks of 1 in turn"}, plan::cyclic_rule(1)}};
    const auto world = make_world(2, parties, arrays, {1 << 20, 1000, 65536});
    ASSERT_EQ(world.moves[0].sent.size(), 3u);
    EXPECT_EQ(world.moves[0].sent[0].segments.size(), 50u);
    EXPECT_EQ(world.moves[0].sent[0].bytes, 400);
    EXPECT_EQ(world.moves[0].sent[1].segments.size(), 1u);
    EXPECT_EQ(world.moves[0].sent[1].bytes, 4000);
}

}  // namespace
}  // namespace ductile::data::local_moves_test
