// A layout on the wire, and the words that messages share (docs/protocol.md).
#pragma once

#include <vector>

#include "core/layout.hpp"
#include "wire/fields.hpp"

namespace ductile::wire {

using core::Generation;
using core::GroupId;
using core::HostIndex;
using core::Rank;
using core::TransactionId;

/// Ranks need not know on which hosts a group is (`elsewhere` stays behind).
struct GroupFields : core::Group {
    template <class V>
    void visit(V& v) {
        v.id("id", id), v.id("host", host), v.number("ranks", ranks, 1, limits::ranks);
        v.number("parked", parked, 0, limits::ranks);
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
