#include "data/block.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "data/checked_memory.hpp"
#include "ductile/error.hpp"

namespace ductile::data {

namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t most_bytes = std::size_t{1} << 60U;

std::size_t size_of(const ArraySpec& spec, std::int64_t elements) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(static_cast<std::size_t>(elements),
                               static_cast<std::size_t>(spec.element_bytes), &bytes) ||
        bytes > most_bytes)
        throw InputError("array '" + spec.name + "' is too large: " + std::to_string(elements) +
                         " elements of " + std::to_string(spec.element_bytes) +
                         " bytes on one rank");
    return bytes;
}

std::size_t aligned(std::size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

std::shared_ptr<std::byte[]> allocate_in(const Home& home, const ArraySpec& spec,
                                         std::size_t bytes) {
    const auto asked = std::max(bytes, std::size_t{1});
    auto* memory = static_cast<std::byte*>(home->allocate(asked));
    if (memory == nullptr)
        throw SystemError("the program's `allocate` for array '" + spec.name +
                          "' (Schema::keep_in) returned no memory for this rank's part (" +
                          std::to_string(bytes) + " bytes)");
    return {memory, [home, asked](std::byte* part) { home->free(part, asked); }};
}

std::shared_ptr<std::byte[]> allocate(const ArraySpec& spec, std::size_t bytes) {
    if (ductile_check_take_memory != nullptr)
        if (auto* checked = ductile_check_take_memory(bytes + 1, spec.name.c_str()))
            return {static_cast<std::byte*>(checked), FreeMemory{true, true, bytes}};
    std::unique_ptr<std::byte[], FreeMemory> memory(
        static_cast<std::byte*>(std::aligned_alloc(alignment, aligned(bytes + 1))),
        FreeMemory{true, false, bytes});
    if (!memory)
        throw SystemError("cannot allocate " + std::to_string(bytes) +
                          " bytes for this rank's part of array '" + spec.name + "'");
    return memory;
}

void expect_one_range(const ArraySpec& spec, const plan::Partition& partition, int part) {
    if (spec.halo == Halo{} || partition.ranges(part).size() <= 1) return;
    throw InputError("array '" + spec.name + "' cannot have a halo: under the rule '" + spec.rule +
                     "', part " + std::to_string(part) + " has more than one range");
}

}  // namespace

void FreeMemory::operator()(std::byte* memory) const {
    if (is_checked) return ductile_check_end_memory(memory);
    // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): std::aligned_alloc has allocated it
    if (is_ours) std::free(memory);
}

Block make_block(const ArraySpec& spec, std::shared_ptr<const plan::Partition> partition, int part,
                 Home home) {
    expect_one_range(spec, *partition, part);
    const std::int64_t count = partition->count(part);
    const std::int64_t offset = count > 0 ? partition->to_global(part, 0) : partition->elements();
    if (spec.kind != Elements::fixed)
        return {nullptr,
                std::move(partition),
                part,
                offset,
                count,
                std::make_shared<Rows>(
                    Rows{std::vector<std::int64_t>(static_cast<std::size_t>(count) + 1), nullptr})};
    const auto before = aligned(size_of(spec, spec.halo.before));
    const auto bytes = before + size_of(spec, count) + size_of(spec, spec.halo.after);
    const auto whole = home ? allocate_in(home, spec, bytes) : allocate(spec, bytes);
    return {std::shared_ptr<std::byte[]>(whole, whole.get() + before),
            std::move(partition),
            part,
            offset,
            count,
            nullptr,
            std::move(home)};
}

std::byte* memory_at(const ArraySpec& spec, const Block& block, std::int64_t local) {
    if (!block.rows) return block.memory.get() + local * spec.element_bytes;
    return block.rows->values.get() +
           block.rows->starts[static_cast<std::size_t>(local)] * spec.element_bytes;
}

std::int64_t bytes_of(const ArraySpec& spec, const Block& block, std::int64_t local,
                      std::int64_t count) {
    if (!block.rows) return count * spec.element_bytes;
    const auto start = [&](std::int64_t row) {
        return block.rows->starts[static_cast<std::size_t>(row)];
    };
    return (start(local + count) - start(local)) * spec.element_bytes;
}

Rows make_rows(const ArraySpec& spec, std::int64_t rows, std::span<const std::int64_t> lengths) {
    if (std::ssize(lengths) != rows)
        throw InputError("array '" + spec.name + "' has " + std::to_string(rows) +
                         " rows on this rank, but the number of lengths is " +
                         std::to_string(lengths.size()));
    Rows made;
    made.starts.reserve(lengths.size() + 1);
    for (const auto length : lengths) {
        if (length < 0 || length > static_cast<std::int64_t>(most_bytes) - made.starts.back())
            throw InputError("a row of array '" + spec.name + "' cannot have " +
                             std::to_string(length) + " values");
        made.starts.push_back(made.starts.back() + length);
    }
    made.values = allocate(spec, size_of(spec, made.starts.back()));
    return made;
}

std::int64_t moving_bytes(const ArraySpec& spec) {
    if (spec.moving.empty()) return spec.element_bytes;
    std::int64_t bytes = 0;
    for (const auto& stretch : spec.moving) bytes += stretch.bytes;
    return bytes;
}

bool is_checked(const Block& block) {
    const auto& memory = block.rows ? block.rows->values : block.memory;
    const auto* owner = std::get_deleter<FreeMemory>(memory);
    return owner != nullptr && owner->is_checked;
}

void forbid_writing(const ArraySpec& spec, const Block& block) {
    if (ductile_check_freeze_memory == nullptr || block.home || spec.halo != Halo{} ||
        !block.partition)
        return;
    if (auto* memory = memory_at(spec, block, 0)) ductile_check_freeze_memory(memory);
}

void clear(const ArraySpec& spec, const Block& block) {
    const auto before = size_of(spec, spec.halo.before);
    const auto bytes = before + size_of(spec, block.count) + size_of(spec, spec.halo.after);
    auto* begin = block.memory.get() - before;
    if (!is_far(block)) {
        std::memset(begin, 0, bytes);
        return;
    }
    constexpr std::size_t piece = std::size_t{1} << 20U;
    const std::vector<std::byte> zeros(std::min(piece, bytes));
    for (std::size_t at = 0; at < bytes; at += piece)
        block.home->copy_in(begin + at, zeros.data(), std::min(piece, bytes - at));
}

}  // namespace ductile::data
