// What a program has given into the job's care, by name: distributed arrays, records and replicated
// values.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/frozen_arrays.hpp"
#include "data/parts.hpp"
#include "ductile/records.hpp"
#include "ductile/replicated.hpp"
#include "plan/rule.hpp"

namespace ductile::detail {

/// One array: behind every Distributed<T> and Ragged<T> handle.
class ArrayState {
  public:
    data::ArraySpec spec;
    plan::Rule rule;
    data::Block block;
    bool claimed = false;  ///< the program has registered it (it may have arrived before)
};

/// One replicated value: the program's variable, or the bytes that arrived for it.
struct ReplicatedState {
    std::string type;
    std::unique_ptr<ReplicatedAccess> access;  ///< null until the program registers it
    std::string arrived;
};

/// One rank's records: the program's vector, or those that arrived for it.
struct RecordsState {
    data::ArraySpec spec;
    std::unique_ptr<RecordsAccess> access;  ///< null until the program registers them
    int part = -1;                          ///< the rank in the job; none: it is parked
    data::Block arrived;
};

/// All registrations of a process, in the order of their names, which is the same on every rank.
class RegistryState {
  public:
    std::map<std::string, std::shared_ptr<ArrayState>> arrays;
    std::map<std::string, RecordsState> records;
    std::map<std::string, ReplicatedState> replicated;
    /// Of arrays that do not lie in ordinary memory, registered or not. Does not change.
    std::map<std::string, data::Home> homes;
    /// Of the arrays, those that are frozen, as they are now.
    data::FrozenArrays frozen;
};

}  // namespace ductile::detail

namespace ductile::data {

using Registry = detail::RegistryState;

/// Registers a value; a newcomer's variable gets what arrived. Throws UsageError when the name is
/// taken or the type is another one than that of what arrived.
void add_replicated(Registry& registry, const std::string& name, std::string_view type,
                    std::unique_ptr<detail::ReplicatedAccess> access);

/// Registers an array, or claims the one that arrived under its name. Part `part` of `parts`, which
/// are those of `ranks`; the spec's rule becomes `rule`'s name. Throws UsageError when the name is
/// taken, when the spec is another one than that of what arrived, or the rule gives another part
/// than what arrived; and what the rule throws.
std::shared_ptr<detail::ArrayState> add_array(Registry& registry, ArraySpec spec, plan::Rule rule,
                                              int part, int parts,
                                              const core::Layout* ranks = nullptr);

/// Registers the records of rank `part`; a newcomer's vector gets what arrived. Throws UsageError
/// when the name is taken or the spec is another one than that of what arrived.
void add_records(Registry& registry, const ArraySpec& spec,
                 std::unique_ptr<detail::RecordsAccess> access, int part);

/// The program does not write to this array any more. Throws UsageError when there is none.
void freeze(Registry& registry, const std::string& name);

/// Of its elements only this moves. Throws UsageError when there is no such array of elements.
void move_only(Registry& registry, const std::string& name, MPI_Datatype type);

/// Of all distributed arrays, on all ranks together; records, and what else only their ranks can
/// count, are left out. The same on all ranks that have registered the same.
double bytes_in_all(const Registry& registry);

/// Throws UsageError that names something that arrived and that the program has not registered.
void expect_claimed(const Registry& registry);

/// What a rank that was there gives into a resize: its parts of the arrays, then its records. Asks
/// the rules, and who owns each record. Throws InputError that names the array when a rule gives no
/// partition, or the records when one has no owner.
std::vector<Outgoing> outgoing(const Registry& registry, const PartCounts& counts);

/// Names that have a home, and no array.
std::vector<std::string> homes_of_none(const Registry& registry);

/// The arrays' homes, for parts that are to be allocated. Any thread.
void give_homes(const Registry& registry, std::vector<Outgoing>& arrays);

/// What has moved is the rank's from now on; `parts` are those of outgoing(). A rank that has none
/// gives up what it had. Answers with the old parts of arrays.
std::vector<Block> adopt_parts(Registry& registry, const std::vector<Block>& parts);

/// What a newcomer has received waits until the program registers it.
void keep_parts(Registry& registry, const std::vector<Outgoing>& arrays,
                const std::vector<Block>& parts);

}  // namespace ductile::data
