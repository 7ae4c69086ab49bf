// How messages encode a layout, and types that several messages share (docs/protocol.md).
#pragma once

#include <algorithm>
#include <vector>

#include "core/layout.hpp"
#include "core/overloaded.hpp"
#include "ductile/error.hpp"
#include "wire/limits.hpp"
#include "wire/message.hpp"

namespace ductile::wire {

using core::Generation;
using core::GroupId;
using core::HostIndex;
using core::Overloaded;
using core::Rank;
using core::TransactionId;

/// A group in a message to ranks. Group::elsewhere is not sent: ranks do not need the hosts.
struct GroupFields : core::Group {
    template <class V>
    void visit(V& v) {
        v.id("id", id), v.id("host", host), v.number("ranks", ranks, 1, limits::ranks);
    }
};

struct RangeFields : core::RankRange {
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.id("host", host);
        v.number("first", first.value, 0, limits::ranks),
            v.number("ranks", ranks, 1, limits::ranks);
    }
};

struct LocalRanksFields : core::LocalRanks::Range {
    template <class V>
    void visit(V& v) {
        v.id("group", first.group), v.number("first", first.rank.value, 0, limits::ranks);
        v.number("ranks", ranks, 1, limits::ranks), v.number("number", number, 0, limits::ranks);
    }
};

struct SlotsFields {
    HostIndex host;
    int slots = 0;
    template <class V>
    void visit(V& v) {
        v.id("host", host), v.number("slots", slots, 0, limits::ranks);
    }
};

inline std::vector<core::RankRange> to_ranges(const std::vector<RangeFields>& fields) {
    return {fields.begin(), fields.end()};
}
inline std::vector<RangeFields> to_fields(const std::vector<core::RankRange>& ranges) {
    std::vector<RangeFields> fields;
    for (const auto& range : ranges) fields.push_back(RangeFields{range});
    return fields;
}

struct LayoutFields : core::Layout {
    LayoutFields() = default;
    explicit LayoutFields(core::Layout layout) : core::Layout(std::move(layout)) {}
    template <class V>
    void visit(V& v) {
        auto runs = to_fields(active), asleep = to_fields(parked);
        std::vector<SlotsFields> of_hosts;
        for (const auto& [host, count] : slots) of_hosts.push_back({host, count});
        v.list("active", runs, limits::ranges), v.list("parked", asleep, limits::ranges);
        v.list("slots", of_hosts, limits::ranges);
        std::vector<LocalRanksFields> numbers;
        for (const auto& range : local_ranks.ranges()) numbers.push_back({range});
        v.list("local_ranks", numbers, limits::ranks);
        if (!std::ranges::is_sorted(numbers, {}, &LocalRanksFields::first))
            throw InputError("message refused: the local ranks of a layout are out of order");
        local_ranks = core::LocalRanks({numbers.begin(), numbers.end()});
        active = to_ranges(runs), parked = to_ranges(asleep);
        slots.clear();
        for (const auto& [host, count] : of_hosts) slots[host] = count;
        std::int64_t total = 0;
        for (const auto* ranges : {&active, &parked})
            for (const auto& range : *ranges) total += range.ranks;
        if (total > limits::ranks)
            throw InputError("message refused: a layout has " + std::to_string(total) +
                             " ranks, more than " + std::to_string(limits::ranks));
    }
};

inline std::vector<core::Group> to_groups(const std::vector<GroupFields>& fields) {
    return {fields.begin(), fields.end()};
}
inline std::vector<GroupFields> to_fields(const std::vector<core::Group>& groups) {
    std::vector<GroupFields> fields;
    for (const auto& group : groups) fields.push_back(GroupFields{group});
    return fields;
}

}  // namespace ductile::wire
