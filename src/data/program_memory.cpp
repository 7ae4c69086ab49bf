#include "data/program_memory.hpp"

#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "ductile/error.hpp"

namespace ductile::data {

namespace {

std::shared_ptr<std::byte[]> borrow(std::byte* memory) {
    return {memory, [](std::byte*) {}};
}

// A copy for the program of memory that std::free cannot free.
std::byte* copy_for_program(const std::byte* memory, std::size_t bytes) {
    // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): the program frees it by std::free
    auto* copy = static_cast<std::byte*>(std::malloc(bytes + 1));
    if (copy == nullptr) throw SystemError("cannot allocate " + std::to_string(bytes) + " bytes");
    std::memcpy(copy, memory, bytes);
    return copy;
}

}  // namespace

Block borrow_block(std::byte* memory, std::shared_ptr<const plan::Partition> partition, int part) {
    const std::int64_t count = partition->count(part);
    const std::int64_t offset = count > 0 ? partition->to_global(part, 0) : partition->elements();
    return {borrow(memory), std::move(partition), part, offset, count};
}

std::shared_ptr<detail::ArrayState> add_borrowed_array(Registry& registry, ArraySpec spec,
                                                       std::byte* memory, int part, int parts) {
    auto made = std::make_shared<detail::ArrayState>();
    auto partition =
        std::make_shared<const plan::Partition>(made->rule.partition(spec.elements, parts));
    made->block = borrow_block(memory, std::move(partition), part);
    spec.rule = made->rule.name();
    made->spec = std::move(spec);
    made->claimed = true;
    if (!registry.arrays.try_emplace(made->spec.name, made).second)
        throw UsageError("cannot distribute '" + made->spec.name +
                         "': the name is registered already");
    return made;
}

std::byte* give_away_memory(Block& block) {
    auto* memory = block.memory.get();
    auto* owner = std::get_deleter<FreeMemory>(block.memory);
    if (owner != nullptr && owner->is_checked) {
        memory = copy_for_program(memory, owner->bytes);
    } else if (owner != nullptr) {
        owner->is_ours = false;
    }
    block.memory = borrow(memory);
    return memory;
}

}  // namespace ductile::data
