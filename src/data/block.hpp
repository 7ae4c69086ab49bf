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
    rows,    ///< each element is a row of values; the program sets its length
    records  ///< row t * (number of old ranks) + s: the records from old rank s to new rank t
};

/// A range of bytes in an element, counted from its first byte.
struct Stretch {
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
    [[nodiscard]] std::int64_t end() const { return offset + bytes; }
    bool operator==(const Stretch&) const = default;
};

/// The properties of an array that all ranks agree on. An element has `element_bytes` contiguous
/// bytes. Rows and records differ in length: there `element_bytes` is the size of one value.
struct ArraySpec {
    std::string name;
    std::string type;  ///< a name for the type of one value: of typeid, or of the program
    std::int64_t width = 1;
    std::int64_t element_bytes = 0;
    std::int64_t elements = 0;
    std::string rule = "blocks";  ///< the name of its distribution (plan/rule.hpp)
    Halo halo{};
    Elements kind = Elements::fixed;
    bool frozen = false;  ///< the program does not write to it any more
    /// The bytes of an element that move, rising, without overlap. Empty: all bytes. Always empty
    /// for rows and records.
    std::vector<Stretch> moving = {};
    bool operator==(const ArraySpec&) const = default;
};

/// The values of a part whose elements differ in length.
struct Rows {
    /// The index of the first value of each row, and then the number of all values.
    std::vector<std::int64_t> starts{0};
    std::shared_ptr<std::byte[]> values;
};

/// The memory in which parts lie. Null: ordinary memory.
using Home = std::shared_ptr<const ArrayMemory>;

/// One part of an array. Its elements lie one after the other. The memory is shared, because a
/// helper that is stuck inside MPI may use it after all other users have dropped it.
struct Block {
    std::shared_ptr<std::byte[]> memory;  ///< the first element; the halo is around the elements
    std::shared_ptr<const plan::Partition> partition;  ///< null if there is no part
    int part = 0;
    /// Global index of the first element. If there is none: the number of elements of the array.
    std::int64_t offset = 0;
    std::int64_t count = 0;  ///< number of elements
    /// For rows and records, which have no `memory`. Shared, and filled when the lengths are known.
    std::shared_ptr<Rows> rows = nullptr;
    Home home = nullptr;
};

/// The address of element `local` of a part. If `local` is the count: the end of the part.
std::byte* memory_at(const ArraySpec& spec, const Block& block, std::int64_t local);
/// The number of bytes of `count` elements of a part, from `local` on.
std::int64_t bytes_of(const ArraySpec& spec, const Block& block, std::int64_t local,
                      std::int64_t count);

/// The number of bytes of an element that move.
std::int64_t moving_bytes(const ArraySpec& spec);

/// Frees the memory of make_block, unless give_away_memory() gave it to the program. Then the
/// program frees it.
struct FreeMemory {
    bool is_ours = true;
    bool is_checked = false;  ///< data/checked_memory.hpp
    std::size_t bytes = 0;
    void operator()(std::byte* memory) const;
};

/// Memory for a part. Without `home`, its first element is aligned to 64 bytes, also behind a halo,
/// and the memory is untouched: the system makes its pages at the first write. If there is not
/// enough memory, throws SystemError that names the array and the number of bytes. Throws
/// InputError if the part is too large, or if a part with a halo is not one range. Throws what the
/// functions of `home` throw. Rows and records first have length 0. They have no `home`.
Block make_block(const ArraySpec& spec, std::shared_ptr<const plan::Partition> partition, int part,
                 Home home = nullptr);

/// The processor cannot access the part: only the copy functions of its home can.
inline bool is_far(const Block& block) {
    return block.home && block.home->copy_out;
}

/// Sets the part and its halo to zero.
void clear(const ArraySpec& spec, const Block& block);

/// Whether a check watches the memory of this part (data/checked_memory.hpp).
bool is_checked(const Block& block);

/// If the memory is checked, a write to this part is a mistake from now on. No effect on a part
/// with a halo: the program writes to its ghost elements.
void forbid_writing(const ArraySpec& spec, const Block& block);

/// Memory for the values of rows of these lengths, untouched. Throws InputError if there is not one
/// length for each row, or if a length is negative. Throws also what make_block throws.
Rows make_rows(const ArraySpec& spec, std::int64_t rows, std::span<const std::int64_t> lengths);

}  // namespace ductile::data
