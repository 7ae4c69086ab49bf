#include "data/moved_ahead.hpp"

#include <algorithm>
#include <utility>

#include "core/hash.hpp"
#include "data/staging.hpp"

namespace ductile::data {

namespace {

const Outgoing* named(const std::vector<Outgoing>& arrays, const std::string& name) {
    const auto found = std::ranges::find(arrays, name, [](const auto& a) { return a.spec.name; });
    return found == arrays.end() ? nullptr : &*found;
}

bool is_same(const Outgoing& one, const Outgoing& other) {
    return one.spec == other.spec && *one.before == *other.before && *one.after == *other.after;
}

std::uint64_t sum_of_part(const Outgoing& array) {
    const auto& spec = array.spec;
    const auto& part = array.old_part;
    if (!part.partition) return 0;
    const auto bytes = static_cast<std::size_t>(bytes_of(spec, part, 0, part.count));
    const auto readable = is_far(part) ? near_copy_of(spec, part) : part;
    return core::hash_of({memory_at(spec, readable, 0), bytes});
}

std::size_t place_of(const MovedAhead& ahead, const std::string& name) {
    const auto* array = named(ahead.arrays, name);
    return array == nullptr ? ahead.arrays.size()
                            : static_cast<std::size_t>(array - ahead.arrays.data());
}

}  // namespace

std::vector<Outgoing> outgoing_of(const std::vector<FrozenArray>& frozen,
                                  const PartCounts& counts) {
    std::vector<Outgoing> arrays;
    for (const auto& [spec, rule, block] : frozen) {
        try {
            const auto partition = [&, &rule = rule, &spec = spec](int parts,
                                                                   const core::Layout* ranks) {
                return std::make_shared<const plan::Partition>(
                    rule.partition(spec.elements, parts, ranks));
            };
            auto before = partition(counts.before, counts.layout_before);
            if (block.partition && *block.partition != *before) continue;
            auto after = partition(counts.after, counts.layout_after);
            arrays.push_back({spec, block, std::move(before), std::move(after), block.home});
        } catch (...) {  // the rule may be a function of the program
            continue;
        }
    }
    return arrays;
}

std::vector<std::uint8_t> held_alike(const std::vector<Outgoing>& mine,
                                     const std::vector<Outgoing>& offered) {
    std::vector<std::uint8_t> held;
    for (const auto& array : offered) {
        const auto* own = named(mine, array.spec.name);
        held.push_back(own != nullptr && is_same(*own, array) ? 1 : 0);
    }
    return held;
}

std::vector<Outgoing> chosen_of(const std::vector<Outgoing>& offered,
                                const std::vector<std::uint8_t>& held,
                                const std::vector<Outgoing>& mine) {
    std::vector<Outgoing> chosen;
    for (std::size_t i = 0; i < offered.size(); ++i) {
        if (held[i] == 0) continue;
        const auto* own = named(mine, offered[i].spec.name);
        chosen.push_back(own == nullptr ? offered[i] : *own);
    }
    return chosen;
}

std::vector<std::uint64_t> sums_of_parts(const std::vector<Outgoing>& arrays) {
    std::vector<std::uint64_t> sums;
    for (const auto& array : arrays) sums.push_back(sum_of_part(array));
    return sums;
}

std::optional<std::string> changed_since(const MovedAhead& ahead,
                                         const std::vector<Outgoing>& now) {
    for (std::size_t i = 0; i < ahead.arrays.size(); ++i) {
        const auto& array = ahead.arrays[i];
        const auto text = "array '" + array.spec.name + "'";
        const auto* found = named(now, array.spec.name);
        if (found == nullptr || !is_same(*found, array) ||
            found->old_part.memory.get() != array.old_part.memory.get() ||
            found->old_part.rows != array.old_part.rows)
            return text + " is no longer the array that moved while the program computed";
        if (!ahead.sums.empty() && sum_of_part(*found) != ahead.sums[i])
            return text + " is frozen, and has been written to since it moved";
    }
    return std::nullopt;
}

std::vector<Block> parts_with(const MovedAhead& ahead, core::Rank me, const Parties& parties,
                              const std::vector<Outgoing>& arrays) {
    std::vector<Outgoing> rest;
    for (const auto& array : arrays)
        if (place_of(ahead, array.spec.name) == ahead.arrays.size()) rest.push_back(array);
    auto made = allocate_parts(me, parties, rest);
    auto next = made.begin();
    std::vector<Block> parts;
    for (const auto& array : arrays) {
        const auto place = place_of(ahead, array.spec.name);
        if (place == ahead.arrays.size())
            parts.push_back(std::move(*next++));
        else
            parts.push_back(ahead.parts[place]);
    }
    return parts;
}

Movement rest_after(const MovedAhead& ahead, Movement all) {
    Movement rest{std::move(all.parties), {}, {}, all.verify, all.memory};
    for (std::size_t i = 0; i < all.arrays.size(); ++i) {
        if (place_of(ahead, all.arrays[i].spec.name) != ahead.arrays.size()) continue;
        rest.arrays.push_back(std::move(all.arrays[i]));
        rest.new_parts.push_back(std::move(all.new_parts[i]));
    }
    return rest;
}

}  // namespace ductile::data
