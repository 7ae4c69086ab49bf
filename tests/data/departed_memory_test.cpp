#include "data/departed_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "plan/rule.hpp"

namespace ductile::data::departed_memory_test {
namespace {

std::size_t page_bytes() {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

constexpr std::size_t pages = 64;

/// One rank's array of bytes, all of them 7.
struct Array {
    Outgoing outgoing;

    explicit Array(Home home = nullptr) {
        const auto elements = static_cast<std::int64_t>(pages * page_bytes());
        outgoing.spec = {"a", "bytes", 1, 1, elements};
        outgoing.before = outgoing.after =
            std::make_shared<const plan::Partition>(plan::Rule().partition(elements, 1));
        outgoing.old_part = make_block(outgoing.spec, outgoing.before, 0, std::move(home));
        std::memset(memory(), 7, pages * page_bytes());
    }
    [[nodiscard]] std::byte* memory() const { return outgoing.old_part.memory.get(); }
    /// How many of the whole pages within the part are in physical memory.
    [[nodiscard]] std::size_t resident() const {
        const auto page = page_bytes();
        const auto begin = (std::bit_cast<std::uintptr_t>(memory()) + page - 1) / page * page;
        std::vector<unsigned char> held(pages - 1);
        EXPECT_EQ(mincore(std::bit_cast<void*>(begin), held.size() * page, held.data()), 0);
        return static_cast<std::size_t>(
            std::ranges::count_if(held, [](unsigned char one) { return (one & 1U) != 0; }));
    }
};

TEST(DepartedMemory, GivesPagesBackWhenAllOfThemHasDeparted) {
    const Array array;
    EXPECT_EQ(array.resident(), pages - 1);
    DepartedMemory departed({array.outgoing});
    const auto half = pages / 2 * page_bytes();
    departed.add({{array.memory(), half}});
    EXPECT_LE(array.resident(), pages / 2);
    EXPECT_EQ(array.memory()[half], std::byte{7});
    EXPECT_EQ(array.memory()[page_bytes() + 100], std::byte{0});
    departed.add({{array.memory() + half, half}});
    EXPECT_LE(array.resident(), 2U);  // the page that was read, and the page between the halves
    EXPECT_EQ(departed.bytes(), static_cast<std::int64_t>(pages * page_bytes()));
}

TEST(DepartedMemory, APageDepartsInPieces) {
    const Array array;
    DepartedMemory departed({array.outgoing});
    const std::size_t piece = 100;
    for (std::size_t from : {std::size_t{0}, piece})  // every other piece, then the others
        for (auto at = from; at < pages * page_bytes(); at += 2 * piece) {
            EXPECT_EQ(array.memory()[at], std::byte{7});
            departed.add({{array.memory() + at, std::min(piece, pages * page_bytes() - at)}});
        }
    EXPECT_LE(array.resident(), 0U);
}

TEST(DepartedMemory, MemoryOfTheProgramStays) {
    ArrayMemory of_program;
    of_program.allocate = [](std::size_t bytes) {
        return std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    };
    // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): std::aligned_alloc needs std::free
    of_program.free = [](void* memory, std::size_t) { std::free(memory); };
    const Array array(std::make_shared<const ArrayMemory>(of_program));
    DepartedMemory departed({array.outgoing});
    departed.add({{array.memory(), pages * page_bytes()}});
    EXPECT_EQ(departed.bytes(), 0);
    EXPECT_EQ(array.resident(), pages - 1);
    EXPECT_EQ(array.memory()[0], std::byte{7});
}

}  // namespace
}  // namespace ductile::data::departed_memory_test
