// What a program has given into the job's care, by name: distributed arrays and replicated values.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/parts.hpp"
#include "ductile/distributed.hpp"
#include "plan/rule.hpp"

namespace ductile::detail {

/// One array: behind every Distributed<T> handle.
class ArrayState {
  public:
    data::ArraySpec spec;
    plan::Rule rule;  ///< until it is claimed: what the sources have told of theirs
    data::Block block;
    bool claimed = false;  ///< the program has registered it (it may have arrived before)
};

/// One replicated value: the program's variable, or the bytes that arrived for it.
struct ReplicatedState {
    std::string type;
    std::unique_ptr<ReplicatedAccess> access;  ///< null until the program registers it
    std::string arrived;
};

/// All registrations of a process, in the order of their names, which is the same on every rank.
class RegistryState {
  public:
    std::map<std::string, std::shared_ptr<ArrayState>> arrays;
    std::map<std::string, ReplicatedState> replicated;
};

}  // namespace ductile::detail

namespace ductile::data {

using Registry = detail::RegistryState;

/// Registers a value; a newcomer's variable gets what arrived. Throws UsageError when the name is
/// taken or the type is another one than that of what arrived.
void add_replicated(Registry& registry, const std::string& name, std::string_view type,
                    std::unique_ptr<detail::ReplicatedAccess> access);

/// Registers an array, or claims the one that arrived under its name. Part `part` of `parts`; the
/// spec's rule becomes `rule`'s name. Throws UsageError when the name is taken, when the spec is
/// another one than that of what arrived, or the rule gives another part than what arrived; and
/// what the rule throws.
std::shared_ptr<detail::ArrayState> add_array(Registry& registry, ArraySpec spec, plan::Rule rule,
                                              int part, int parts);

/// Throws UsageError that names something that arrived and that the program has not registered.
void expect_claimed(const Registry& registry);

/// What a rank that was there gives into a resize: its parts, and the rules, asked for both numbers
/// of ranks. Throws InputError that names the array when a rule gives no partition.
std::vector<Outgoing> outgoing(const Registry& registry, const PartCounts& counts);

/// The same on ranks that have registered the same: names, types, sizes and distributions. Not
/// negative.
std::int64_t fingerprint(const Registry& registry, const std::vector<Outgoing>& arrays,
                         const PartCounts& counts);

/// Names, types, sizes and distributions of everything and the replicated values, as bytes; made by
/// rank 0, read by every rank. `arrays` is outgoing() for the same numbers of ranks.
std::string pack_state(const Registry& registry, const std::vector<Outgoing>& arrays,
                       const PartCounts& counts);

/// What pack_state wrote.
struct PackedState {
    struct Value {
        std::string name, type, bytes;
    };
    struct Array {
        ArraySpec spec;
        std::map<int, plan::Partition> partitions;  ///< by the number of parts; none of blocks
        [[nodiscard]] plan::Rule rule() const;
    };
    std::vector<Array> arrays;
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
