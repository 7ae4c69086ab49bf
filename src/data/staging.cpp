#include "data/staging.hpp"

#include <algorithm>

namespace ductile::data {

namespace {

Block in_ordinary_memory(const ArraySpec& spec, const Block& part) {
    return make_block(spec, part.partition, part.part);
}

std::size_t bytes_in(const ArraySpec& spec, const Block& part) {
    return static_cast<std::size_t>(bytes_of(spec, part, 0, part.count));
}

}  // namespace

bool has_staged_parts(const Movement& movement) {
    return std::ranges::any_of(movement.arrays,
                               [](const auto& array) { return is_staged(array.old_part); }) ||
           std::ranges::any_of(movement.new_parts, is_staged);
}

Movement staged(const Movement& movement) {
    auto stage = movement;
    for (std::size_t i = 0; i < stage.arrays.size(); ++i) {
        auto& [spec, old_part, before, after, home] = stage.arrays[i];
        if (is_staged(old_part)) {
            const auto away = old_part;
            old_part = in_ordinary_memory(spec, away);
            if (const auto bytes = bytes_in(spec, away); bytes > 0)
                away.home->copy_out(old_part.memory.get(), away.memory.get(), bytes);
        }
        if (auto& part = stage.new_parts[i]; is_staged(part)) part = in_ordinary_memory(spec, part);
    }
    return stage;
}

void take_from_stage(const Movement& stage, const Movement& movement) {
    for (std::size_t i = 0; i < movement.new_parts.size(); ++i) {
        const auto& part = movement.new_parts[i];
        if (!is_staged(part)) continue;
        if (const auto bytes = bytes_in(movement.arrays[i].spec, part); bytes > 0)
            part.home->copy_in(part.memory.get(), stage.new_parts[i].memory.get(), bytes);
    }
}

}  // namespace ductile::data
