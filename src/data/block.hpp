// The memory of one rank's part of a distributed array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace ductile::data {

/// What all ranks agree on about an array. An element is `element_bytes` contiguous bytes.
struct ArraySpec {
    std::string name;
    std::string type;  ///< of one value, as typeid names it; programs of one job are one binary
    std::int64_t width = 1;
    std::int64_t element_bytes = 0;
    std::int64_t elements = 0;
    bool operator==(const ArraySpec&) const = default;
};

/// A contiguous range of an array's elements in memory that is shared: a helper that is stuck
/// inside MPI must find it alive when everybody else has forgotten it.
struct Block {
    std::shared_ptr<std::byte[]> memory;
    std::int64_t offset = 0;  ///< global index of the first element
    std::int64_t count = 0;   ///< elements
};

/// Memory for a block, aligned to 64 bytes, untouched (its pages come into being when they are
/// written first). Throws SystemError that names the array and the bytes.
Block make_block(const ArraySpec& spec, std::int64_t offset, std::int64_t count);

}  // namespace ductile::data
