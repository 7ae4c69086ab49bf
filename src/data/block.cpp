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
    struct Free {
        // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): what std::aligned_alloc gives is freed so
        void operator()(std::byte* memory) const { std::free(memory); }
    };
    std::unique_ptr<std::byte[], Free> memory(
        static_cast<std::byte*>(std::aligned_alloc(alignment, rounded)));
    if (!memory)
        throw SystemError("cannot allocate " + std::to_string(bytes) +
                          " bytes for this rank's part of array '" + spec.name + "'");
    return {std::move(memory), std::move(partition), part, offset, count};
}

}  // namespace ductile::data
