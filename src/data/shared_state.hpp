// What ranks tell each other of their registrations at a resize.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/registry.hpp"

namespace ductile::data {

/// The same on ranks that have registered the same: names, types, sizes and distributions. Not
/// negative.
std::int64_t fingerprint(const Registry& registry, const std::vector<Outgoing>& arrays);

/// Names, types, sizes and distributions of everything and the replicated values, as bytes; made by
/// rank 0, read by every rank. `arrays` is outgoing().
std::string pack_state(const Registry& registry, const std::vector<Outgoing>& arrays);

/// What pack_state wrote.
struct PackedState {
    struct Value {
        std::string name, type, bytes;
    };
    std::vector<Outgoing> arrays;  ///< without old parts: what a newcomer is to receive
    std::vector<Value> values;
};
/// Throws Error on bytes that are not such a state.
PackedState unpack_state(const std::string& bytes);

/// Sets every replicated value to rank 0's. Throws UsageError when the registrations differ from
/// rank 0's.
void adopt_values(Registry& registry, const PackedState& state);

/// What a source checks before it commits, with its outgoing(): that it has registered the same
/// arrays and values as rank 0, and that their distributions are the same before and after. Throws
/// UsageError that names the first difference.
void expect_same(const Registry& registry, const std::vector<Outgoing>& arrays,
                 const PackedState& state);

}  // namespace ductile::data
