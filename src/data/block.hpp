// The memory of one rank's part of a distributed array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "plan/partition.hpp"

namespace ductile::data {

/// What all ranks agree on about an array. An element is `element_bytes` contiguous bytes.
struct ArraySpec {
    std::string name;
    std::string type;  ///< of one value, as typeid names it; programs of one job are one binary
    std::int64_t width = 1;
    std::int64_t element_bytes = 0;
    std::int64_t elements = 0;
    std::string rule = "blocks";  ///< of its distribution, by name (plan/rule.hpp)
    Halo halo{};
    bool operator==(const ArraySpec&) const = default;
};

/// One part of an array, its elements one after the other, in memory that is shared: a helper that
/// is stuck inside MPI must find it alive when everybody else has forgotten it.
struct Block {
    std::shared_ptr<std::byte[]> memory;  ///< the first element; the halo is around the elements
    std::shared_ptr<const plan::Partition> partition;  ///< null where there is no part
    int part = 0;
    std::int64_t offset = 0;  ///< global index of the first element; of none, how many there are
    std::int64_t count = 0;   ///< elements
};

/// Memory for a part, aligned to 64 bytes, untouched (its pages come into being when they are
/// written first), and so are its elements behind a halo. Throws SystemError that names the array
/// and the bytes, and InputError when a part that has a halo is not one range.
Block make_block(const ArraySpec& spec, std::shared_ptr<const plan::Partition> partition, int part);

/// Sets the part and its halo to zero.
void clear(const ArraySpec& spec, const Block& block);

}  // namespace ductile::data
