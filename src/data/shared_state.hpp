// What ranks tell each other about their registrations at a resize.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/registry.hpp"

namespace ductile::data {

/// The same number on ranks that have registered the same: names, types, sizes and distributions.
/// Not negative.
std::int64_t fingerprint(const Registry& registry, const std::vector<Outgoing>& arrays);

/// Names, types, sizes and distributions of everything, and the replicated values, as bytes. Rank 0
/// writes these bytes, every rank reads them. `arrays`: the result of outgoing().
std::string pack_state(const Registry& registry, const std::vector<Outgoing>& arrays);

/// What pack_state wrote.
struct PackedState {
    struct Value {
        std::string name, type, bytes;
    };
    std::vector<Outgoing> arrays;  ///< without old parts: what a newcomer will receive
    std::vector<Value> values;
};
/// Throws Error if the bytes are not such a state.
PackedState unpack_state(const std::string& bytes);

/// Sets every replicated value to rank 0's value. A value that is not registered here is kept until
/// the program registers it. Throws what the program's own unpack function throws.
void adopt_values(Registry& registry, const PackedState& state);

/// A source calls it before it commits: checks that the source has registered the same arrays (its
/// outgoing()) and values as rank 0, with the same distributions before and after. Throws a
/// UsageError that names the first difference.
void expect_same(const Registry& registry, const std::vector<Outgoing>& arrays,
                 const PackedState& state);

}  // namespace ductile::data
