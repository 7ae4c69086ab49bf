#include "data/block.hpp"

#include <cstdlib>
#include <utility>

#include "ductile/error.hpp"

namespace ductile::data {

Block make_block(const ArraySpec& spec, std::shared_ptr<const plan::Partition> partition,
                 int part) {
    const std::int64_t count = partition->count(part);
    const std::int64_t offset = count > 0 ? partition->to_global(part, 0) : partition->elements();
    constexpr std::size_t alignment = 64;
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(static_cast<std::size_t>(count),
                               static_cast<std::size_t>(spec.element_bytes), &bytes))
        throw InputError("array '" + spec.name + "' is too large: " + std::to_string(count) +
                         " elements of " + std::to_string(spec.element_bytes) +
                         " bytes on one rank");
    const std::size_t rounded = (bytes + alignment) / alignment * alignment;
    auto* memory = static_cast<std::byte*>(std::aligned_alloc(alignment, rounded));
    if (memory == nullptr)
        throw SystemError("cannot allocate " + std::to_string(bytes) +
                          " bytes for this rank's part of array '" + spec.name + "'");
    return {std::shared_ptr<std::byte[]>(memory, [](std::byte* p) { std::free(p); }),
            std::move(partition), part, offset, count};
}

}  // namespace ductile::data
