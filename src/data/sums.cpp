#include "data/sums.hpp"

#include <algorithm>
#include <cstring>

#include "core/hash.hpp"
#include "data/records_by_owner.hpp"
#include "ductile/error.hpp"
#include "plan/transfer_plan.hpp"

namespace ductile::data {

namespace {

std::int64_t part_of(const std::vector<core::Rank>& ranks, core::Rank rank) {
    return std::ranges::find(ranks, rank) - ranks.begin();
}

std::uint64_t sum_of(const ArraySpec& spec, const Block& part, std::int64_t begin,
                     std::int64_t count) {
    const auto local = part.partition->to_local(part.part, begin);
    const auto* first = memory_at(spec, part, local);
    if (spec.moving.empty())
        return core::hash_of({first, static_cast<std::size_t>(bytes_of(spec, part, local, count))});
    std::vector<std::byte> moving;
    moving.reserve(static_cast<std::size_t>(count * moving_bytes(spec)));
    for (std::int64_t i = 0; i < count; ++i)
        for (const auto& stretch : spec.moving) {
            const auto* begins = first + i * spec.element_bytes + stretch.offset;
            moving.insert(moving.end(), begins, begins + stretch.bytes);
        }
    return core::hash_of({moving.data(), moving.size()});
}

// The sums of this rank, for each target.
std::vector<std::vector<Sum>> sums_of(core::Rank me, const Movement& movement) {
    const auto& [sources, targets] = movement.parties;
    std::vector<std::vector<Sum>> sums(targets.size());
    for (std::size_t i = 0; i < movement.arrays.size(); ++i) {
        const auto& [spec, old_part, before, after, home] = movement.arrays[i];
        const auto mine = plan::plan_transfer_of(me, *before, sources, *after, targets);
        for (const auto* list : {&mine.sent, &mine.kept})
            for (const auto& t : *list)
                if (t.source == me)
                    sums[static_cast<std::size_t>(part_of(targets, t.target))].push_back(
                        {static_cast<std::int64_t>(i), t.begin, t.count,
                         sum_of(spec, old_part, t.begin, t.count)});
    }
    return sums;
}

void put(const ArraySpec& spec, const Block& part, const std::vector<std::vector<Sum>>& sums) {
    std::vector<std::int64_t> lengths;
    for (const auto& list : sums) lengths.push_back(std::ssize(list));
    *part.rows = make_rows(spec, part.count, lengths);
    auto* to = part.rows->values.get();
    for (const auto& list : sums) {
        if (!list.empty()) std::memcpy(to, list.data(), list.size() * sizeof(Sum));
        to += list.size() * sizeof(Sum);
    }
}

void expect_sum(const Movement& movement, const Sum& sum, core::Rank source, core::Rank me) {
    const auto i = static_cast<std::size_t>(sum.array);
    const auto& spec = movement.arrays.at(i).spec;
    if (sum_of(spec, movement.new_parts[i], sum.begin, sum.count) == sum.sum) return;
    throw SystemError(
        "elements " + std::to_string(sum.begin) + " to " +
        std::to_string(sum.begin + sum.count - 1) + " of array '" + spec.name + "' on rank " +
        std::to_string(me.value) + " differ from those that rank " + std::to_string(source.value) +
        " had" + (spec.frozen ? "; it is frozen, and perhaps it was written to as it moved" : ""));
}

}  // namespace

Movement sums_to_move(core::Rank me, const Movement& movement) {
    const auto& [sources, targets] = movement.parties;
    auto array = rows_between({"sums of what moves", "", 1, sizeof(Sum)},
                              {static_cast<int>(sources.size()), static_cast<int>(targets.size())});
    if (std::ranges::binary_search(sources, me)) {
        array.old_part =
            make_block(array.spec, array.before, static_cast<int>(part_of(sources, me)));
        put(array.spec, array.old_part, sums_of(me, movement));
    }
    auto parts = allocate_parts(me, movement.parties, {array});
    return {movement.parties, {std::move(array)}, std::move(parts)};
}

void expect_sums(core::Rank me, const Movement& movement, const Movement& sums) {
    const auto& part = sums.new_parts.at(0);
    if (!part.rows) return;
    const auto* all = reinterpret_cast<const Sum*>(part.rows->values.get());
    for (std::size_t source = 0; source < movement.parties.sources.size(); ++source)
        for (auto i = part.rows->starts[source]; i < part.rows->starts[source + 1]; ++i)
            expect_sum(movement, all[i], movement.parties.sources[source], me);
}

}  // namespace ductile::data
