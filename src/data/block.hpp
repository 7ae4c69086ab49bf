// The memory of one rank's part of a distributed array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ductile/array_memory.hpp"
#include "plan/partition.hpp"

namespace ductile::data {

/// What an array is made of.
enum class Elements {
    fixed,   ///< elements of one size
    rows,    ///< each element is a row of values, as many as the program says
    records  ///< row t * (ranks before) + s: the records that go from rank s to rank t
};

/// Bytes of an element, from its first byte on.
struct Stretch {
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
    [[nodiscard]] std::int64_t end() const { return offset + bytes; }
    bool operator==(const Stretch&) const = default;
};

/// What all ranks agree on about an array. An element is `element_bytes` contiguous bytes; of rows
/// and records, which differ in length, each value is.
struct ArraySpec {
    std::string name;
    std::string type;  ///< of one value, as typeid names it; programs of one job are one binary
    std::int64_t width = 1;
    std::int64_t element_bytes = 0;
    std::int64_t elements = 0;
    std::string rule = "blocks";  ///< of its distribution, by name (plan/rule.hpp)
    Halo halo{};
    Elements kind = Elements::fixed;
    bool frozen = false;  ///< the program does not write to it any more
    /// What of an element moves, rising and apart; nothing: all of it. Not of rows and records.
    std::vector<Stretch> moving = {};
    bool operator==(const ArraySpec&) const = default;
};

/// The values of a part whose elements differ in length.
struct Rows {
    std::vector<std::int64_t> starts{
        0};  ///< in values, of each row; the last one is where they end
    std::shared_ptr<std::byte[]> values;
};

/// Where parts lie; null: in ordinary memory.
using Home = std::shared_ptr<const ArrayMemory>;

/// One part of an array, its elements one after the other, in memory that is shared: a helper that
/// is stuck inside MPI must find it alive when everybody else has forgotten it.
struct Block {
    std::shared_ptr<std::byte[]> memory;  ///< the first element; the halo is around the elements
    std::shared_ptr<const plan::Partition> partition;  ///< null where there is no part
    int part = 0;
    std::int64_t offset = 0;  ///< global index of the first element; of none, how many there are
    std::int64_t count = 0;   ///< elements
    /// Of rows and records, which have no `memory`. Shared, and filled when lengths are known.
    std::shared_ptr<Rows> rows = nullptr;
    Home home = nullptr;
};

/// Where a part's element `local` begins; its count: where the part ends.
std::byte* memory_at(const ArraySpec& spec, const Block& block, std::int64_t local);
/// Bytes of `count` elements of a part, from `local` on.
std::int64_t bytes_of(const ArraySpec& spec, const Block& block, std::int64_t local,
                      std::int64_t count);

/// Bytes of an element that move.
std::int64_t moving_bytes(const ArraySpec& spec);

/// How the memory of make_block is freed. It may be given to the program, which does it then.
struct FreeMemory {
    bool is_ours = true;
    bool is_checked = false;  ///< data/checked_memory.hpp
    std::size_t bytes = 0;
    void operator()(std::byte* memory) const;
};

/// Memory for a part, aligned to 64 bytes, untouched (its pages come into being when they are
/// written first), and so are its elements behind a halo. Throws SystemError that names the array
/// and the bytes, and InputError when a part that has a halo is not one range. Of rows and records
/// all have length 0 at first; they have no `home`.
Block make_block(const ArraySpec& spec, std::shared_ptr<const plan::Partition> partition, int part,
                 Home home = nullptr);

/// Its memory is reached by copies alone.
inline bool is_staged(const Block& block) {
    return block.home && block.home->copy_out;
}

/// Sets the part and its halo to zero.
void clear(const ArraySpec& spec, const Block& block);

/// Who uses this memory when it is given back is told so (data/checked_memory.hpp).
bool is_checked(const Block& block);

/// Where memory is checked, writing to this part is a mistake from now on. Not with a halo, whose
/// ghosts the program exchanges.
void forbid_writing(const ArraySpec& spec, const Block& block);

/// Memory for the values of rows of these lengths, untouched. Throws InputError when there is not
/// one for each row, or one is negative, and as make_block does.
Rows make_rows(const ArraySpec& spec, std::int64_t rows, std::span<const std::int64_t> lengths);

}  // namespace ductile::data
