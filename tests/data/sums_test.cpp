#include "data/sums.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>

#include "core/hash.hpp"
#include "ductile/error.hpp"

namespace ductile::data::sums_test {
namespace {

using core::Rank;

SharedPartition blocks(std::int64_t elements, int parts) {
    return std::make_shared<const plan::Partition>(plan::BlockDistribution{elements, parts});
}

// 6 elements of 8 bytes from rank 0 to ranks 0 and 1, as rank 1 sees them when they have come.
struct Arrived {
    Movement at_0, at_1, sums_at_0, sums_at_1;

    Arrived() {
        const Parties parties{{Rank{0}}, {Rank{0}, Rank{1}}};
        Outgoing array;
        array.spec = {"u", "d", 1, 8, 6};
        array.before = blocks(6, 1);
        array.after = blocks(6, 2);
        at_1 = {parties, {array}, allocate_parts(Rank{1}, parties, {array})};
        array.old_part = make_block(array.spec, array.before, 0);
        for (int byte = 0; byte < 48; ++byte)
            array.old_part.memory[byte] = static_cast<std::byte>(byte * 5);
        at_0 = {parties, {array}, allocate_parts(Rank{0}, parties, {array})};
        std::memcpy(at_1.new_parts[0].memory.get(), array.old_part.memory.get() + 24, 24);
        sums_at_0 = sums_to_move(Rank{0}, at_0);
        sums_at_1 = sums_to_move(Rank{1}, at_1);
        move_sums();
    }
    // Copies rank 1's row of sums from rank 0.
    void move_sums() {
        const auto& from = *sums_at_0.arrays[0].old_part.rows;
        const auto& part = sums_at_1.new_parts[0];
        const std::vector<std::int64_t> lengths{from.starts[2] - from.starts[1]};
        *part.rows = make_rows(sums_at_1.arrays[0].spec, 1, lengths);
        std::memcpy(part.rows->values.get(),
                    from.values.get() + from.starts[1] * std::int64_t{sizeof(Sum)},
                    static_cast<std::size_t>(lengths[0]) * sizeof(Sum));
    }
    [[nodiscard]] std::string fault() const {
        try {
            expect_sums(Rank{1}, at_1, sums_at_1);
        } catch (const SystemError& error) {
            return error.what();
        }
        return "";
    }
};

TEST(Sums, what_has_arrived_is_what_was_there) {
    const Arrived arrived;
    EXPECT_EQ(arrived.fault(), "");
}

TEST(Sums, a_byte_that_changed_is_found) {
    for (int byte = 0; byte < 24; ++byte) {
        const Arrived arrived;
        arrived.at_1.new_parts[0].memory[byte] ^= std::byte{1};
        EXPECT_EQ(arrived.fault(),
                  "elements 3 to 5 of array 'u' on rank 1 differ from those that rank 0 had");
    }
}

RC_GTEST_PROP(Hash, one_bit_changes_it, ()) {
    auto bytes = *rc::gen::nonEmpty(rc::gen::arbitrary<std::string>());
    const auto before = core::hash_of(bytes);
    const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << *rc::gen::inRange(0, 8)));
    RC_ASSERT(core::hash_of(bytes) != before);
    RC_ASSERT(core::hash_of(bytes + std::string(1, 0)) != core::hash_of(bytes));
}

}  // namespace
}  // namespace ductile::data::sums_test
