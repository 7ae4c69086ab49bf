#include "data/staging.hpp"

#include <algorithm>

#include "mpi/device_memory.hpp"

namespace ductile::data {

namespace {

Block in_ordinary_memory(const ArraySpec& spec, const Block& part) {
    return make_block(spec, part.partition, part.part);
}

std::size_t bytes_in(const ArraySpec& spec, const Block& part) {
    return static_cast<std::size_t>(bytes_of(spec, part, 0, part.count));
}

bool is_staged(const Movement& movement, const Block& part) {
    return is_far(part) && (movement.verify || !mpi::can_access(part.home->device));
}

}  // namespace

Block near_copy_of(const ArraySpec& spec, const Block& part) {
    auto copy = in_ordinary_memory(spec, part);
    if (const auto bytes = bytes_in(spec, part); bytes > 0)
        part.home->copy_out(copy.memory.get(), part.memory.get(), bytes);
    return copy;
}

bool has_staged_parts(const Movement& movement) {
    const auto is = [&](const Block& part) { return is_staged(movement, part); };
    return std::ranges::any_of(movement.arrays,
                               [&](const auto& array) { return is(array.old_part); }) ||
           std::ranges::any_of(movement.new_parts, is);
}

Movement staged(const Movement& movement) {
    auto stage = movement;
    for (std::size_t i = 0; i < stage.arrays.size(); ++i) {
        auto& [spec, old_part, before, after, home] = stage.arrays[i];
        if (is_staged(movement, old_part)) old_part = near_copy_of(spec, old_part);
        if (auto& part = stage.new_parts[i]; is_staged(movement, part))
            part = in_ordinary_memory(spec, part);
    }
    return stage;
}

void take_from_stage(const Movement& stage, const Movement& movement) {
    for (std::size_t i = 0; i < movement.new_parts.size(); ++i) {
        const auto& part = movement.new_parts[i];
        if (!is_staged(movement, part)) continue;
        if (const auto bytes = bytes_in(movement.arrays[i].spec, part); bytes > 0)
            part.home->copy_in(part.memory.get(), stage.new_parts[i].memory.get(), bytes);
    }
}

std::vector<Movement> by_memory(const Movement& movement) {
    const auto is_of_device = [](const Outgoing& array) {
        return array.home && array.home->device != Device::none;
    };
    if (std::ranges::none_of(movement.arrays, is_of_device)) return {movement};
    const Movement none{movement.parties, {}, {}, movement.verify, movement.memory};
    std::vector<Movement> all{none};
    for (std::size_t i = 0; i < movement.arrays.size(); ++i) {
        const auto& array = movement.arrays[i];
        auto& with = is_of_device(array) ? all.emplace_back(none) : all.front();
        with.arrays.push_back(array);
        with.new_parts.push_back(movement.new_parts[i]);
    }
    if (all.front().arrays.empty()) all.erase(all.begin());
    return all;
}

}  // namespace ductile::data
