#include "data/local_moves.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "plan/distribution.hpp"

namespace ductile::data {
namespace {

using core::Rank;

/// All ranks of a redistribution in one process: their memory and what each is to do.
struct World {
    Parties parties;
    std::vector<std::vector<Outgoing>> old_parts;  ///< by rank
    std::vector<std::vector<Block>> new_parts;
    std::vector<LocalMoves> moves;
};

std::byte value_of(std::int64_t byte) {
    return static_cast<std::byte>((byte * 31 + (byte >> 7)) & 0xff);
}

World make_world(int ranks, const Parties& parties, const std::vector<ArraySpec>& specs,
                 std::int64_t piece_bytes) {
    World world{parties, {}, {}, {}};
    for (int me = 0; me < ranks; ++me) {
        std::vector<Outgoing> arrays;
        for (const auto& spec : specs) {
            Outgoing array{spec, {}};
            const plan::BlockDistribution from{spec.elements,
                                               static_cast<int>(parties.sources.size())};
            const auto at = std::ranges::find(parties.sources, Rank{me});
            if (at != parties.sources.end()) {
                const int part = static_cast<int>(at - parties.sources.begin());
                array.old_part = make_block(spec, from.begin(part), from.count(part));
                const auto bytes = array.old_part.count * spec.element_bytes;
                for (std::int64_t b = 0; b < bytes; ++b)
                    array.old_part.memory[b] =
                        value_of(array.old_part.offset * spec.element_bytes + b);
            }
            arrays.push_back(array);
        }
        world.new_parts.push_back(allocate_parts(Rank{me}, parties, arrays));
        world.moves.push_back(
            local_moves(Rank{me}, parties, arrays, world.new_parts.back(), piece_bytes));
        world.old_parts.push_back(std::move(arrays));
    }
    return world;
}

/// Carries all moves out by copies: pieces between two ranks meet in their order.
void carry_out(World& world) {
    std::map<std::pair<Rank, Rank>, std::vector<Piece>> sent;
    for (std::size_t me = 0; me < world.moves.size(); ++me)
        for (const auto& piece : world.moves[me].sent)
            sent[{Rank{static_cast<int>(me)}, piece.peer}].push_back(piece);
    std::map<std::pair<Rank, Rank>, std::size_t> taken;
    for (std::size_t me = 0; me < world.moves.size(); ++me) {
        for (const auto& kept : world.moves[me].kept) std::memcpy(kept.to, kept.from, kept.bytes);
        for (const auto& piece : world.moves[me].received) {
            const std::pair pair{piece.peer, Rank{static_cast<int>(me)}};
            const auto& from = sent[pair].at(taken[pair]++);
            ASSERT_EQ(from.bytes, piece.bytes);
            std::memcpy(piece.memory, from.memory, static_cast<std::size_t>(piece.bytes));
        }
    }
    for (const auto& [pair, pieces] : sent) EXPECT_EQ(taken[pair], pieces.size());
}

RC_GTEST_PROP(LocalMoves, all_data_come_to_their_new_places, ()) {
    const int ranks = *rc::gen::inRange(1, 9);
    const auto some = [ranks] {
        std::vector<Rank> chosen;
        const int only = *rc::gen::inRange(0, ranks);
        for (int i = 0; i < ranks; ++i)
            if (i == only || *rc::gen::arbitrary<bool>()) chosen.push_back(Rank{i});
        return chosen;
    };
    const Parties parties{some(), some()};
    std::vector<ArraySpec> specs;
    for (int i = 0; i < 2; ++i)
        specs.push_back({std::string(1, static_cast<char>('a' + i)), "d", 1,
                         *rc::gen::inRange<std::int64_t>(1, 20),
                         *rc::gen::inRange<std::int64_t>(0, 60)});
    const auto piece_bytes = *rc::gen::inRange<std::int64_t>(1, 100);
    auto world = make_world(ranks, parties, specs, piece_bytes);
    carry_out(world);
    for (const auto& parts : world.new_parts)
        for (std::size_t i = 0; i < specs.size(); ++i) {
            const auto bytes = parts[i].count * specs[i].element_bytes;
            for (std::int64_t b = 0; b < bytes; ++b)
                RC_ASSERT(parts[i].memory[b] ==
                          value_of(parts[i].offset * specs[i].element_bytes + b));
        }
    for (const auto& moves : world.moves)
        for (const auto* pieces : {&moves.sent, &moves.received})
            for (const auto& piece : *pieces)
                RC_ASSERT(piece.bytes > 0 && piece.bytes <= piece_bytes);
}

// 10 elements of 4 bytes from ranks {0, 1} to {0, 1, 2, 3}: see plan_transfer.
TEST(LocalMoves, what_moves_is_counted_and_cut) {
    const auto world = make_world(4, {{Rank{0}, Rank{1}}, {Rank{0}, Rank{1}, Rank{2}, Rank{3}}},
                                  {{"u", "f", 1, 4, 10}}, 4);
    EXPECT_EQ(world.moves[0].moved, (Moved{8, 12}));   // [3,5) to rank 1; keeps [0,3)
    EXPECT_EQ(world.moves[1].moved, (Moved{16, 12}));  // [6,10); gets [3,5), keeps [5,6)
    EXPECT_EQ(world.moves[3].moved, (Moved{0, 8}));
    EXPECT_EQ(world.moves[0].sent.size(), 2u);
    EXPECT_EQ(world.moves[1].received.size(), 2u);
    ASSERT_EQ(world.moves[0].kept.size(), 1u);
    EXPECT_EQ(world.moves[0].kept[0].bytes, 12u);
}

}  // namespace
}  // namespace ductile::data
