#include "data/two_steps.hpp"

namespace ductile::data {

namespace {

std::int64_t* lengths_in(const Block& block) {
    return reinterpret_cast<std::int64_t*>(block.memory.get());
}

Block lengths_of(const ArraySpec& spec, const Block& part) {
    auto lengths = make_block(spec, part.partition, part.part);
    const auto& starts = part.rows->starts;
    for (std::size_t row = 0; row + 1 < starts.size(); ++row)
        lengths_in(lengths)[row] = starts[row + 1] - starts[row];
    return lengths;
}

void add_lengths(Movement& to, const Outgoing& array, const Block& new_part) {
    const ArraySpec spec{"the lengths of " + array.spec.name, "", 1, sizeof(std::int64_t),
                         array.spec.elements};
    to.arrays.push_back({spec, array.old_part.rows ? lengths_of(spec, array.old_part) : Block{},
                         array.before, array.after});
    to.new_parts.push_back(new_part.rows ? make_block(spec, new_part.partition, new_part.part)
                                         : Block{});
}

}  // namespace

Movement first_step(const Movement& movement) {
    Movement first{movement.parties, {}, {}, false, movement.memory};
    for (std::size_t i = 0; i < movement.arrays.size(); ++i) {
        const auto& array = movement.arrays[i];
        if (array.spec.kind != Elements::fixed) {
            add_lengths(first, array, movement.new_parts[i]);
        } else {
            first.arrays.push_back(array);
            first.new_parts.push_back(movement.new_parts[i]);
        }
    }
    return first;
}

Movement second_step(const Movement& movement, const Movement& first) {
    Movement second{movement.parties, {}, {}, false, movement.memory};
    for (std::size_t i = 0; i < movement.arrays.size(); ++i) {
        const auto& array = movement.arrays[i];
        if (array.spec.kind == Elements::fixed) continue;
        const auto& part = movement.new_parts[i];
        if (part.rows)
            *part.rows =
                make_rows(array.spec, part.count,
                          {lengths_in(first.new_parts[i]), static_cast<std::size_t>(part.count)});
        second.arrays.push_back(array);
        second.new_parts.push_back(part);
    }
    return second;
}

}  // namespace ductile::data
