// What a program has registered, by name: distributed arrays, records and replicated values.
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

/// One array. Each Distributed<T> or Ragged<T> handle refers to one.
class ArrayState {
  public:
    data::ArraySpec spec;
    plan::Rule rule;
    data::Block block;
    bool claimed = false;  ///< the program has registered it (it may have arrived before)
};

/// One replicated value: the variable of the program, or the bytes that arrived for it.
struct ReplicatedState {
    std::string type;
    std::unique_ptr<ReplicatedAccess> access;  ///< null until the program registers it
    std::string arrived;
};

/// The records of one rank: the vector of the program, or the records that arrived for it.
struct RecordsState {
    data::ArraySpec spec;
    std::unique_ptr<RecordsAccess> access;  ///< null until the program registers them
    int part = -1;                          ///< the rank in the job; -1: this process is parked
    data::Block arrived;
};

/// All registrations of a process, in the order of their names. This order is the same on every
/// rank.
class RegistryState {
  public:
    std::map<std::string, std::shared_ptr<ArrayState>> arrays;
    std::map<std::string, RecordsState> records;
    std::map<std::string, ReplicatedState> replicated;
    /// The homes of arrays that do not lie in ordinary memory, registered or not. Does not change.
    std::map<std::string, data::Home> homes;
    /// The frozen arrays, as they are now.
    data::FrozenArrays frozen;
};

}  // namespace ductile::detail

namespace ductile::data {

using Registry = detail::RegistryState;

/// Registers a value. A newcomer's variable gets what arrived. Throws UsageError if the name is
/// taken or the type differs from what arrived.
void add_replicated(Registry& registry, const std::string& name, std::string_view type,
                    std::unique_ptr<detail::ReplicatedAccess> access);

/// Registers an array, or claims the array that arrived under its name. This process holds part
/// `part` of `parts`. `ranks`: the layout of the ranks that hold the parts, for rules that go by
/// hosts. The spec gets the name of `rule`. Throws UsageError if the name is taken, if the spec
/// differs from what arrived, or if the rule gives another part than what arrived. Throws
/// InputError that names the array if the rule throws or gives no partition. Throws what make_block
/// throws.
std::shared_ptr<detail::ArrayState> add_array(Registry& registry, ArraySpec spec, plan::Rule rule,
                                              int part, int parts,
                                              const core::Layout* ranks = nullptr);

/// Registers the records of rank `part`. A newcomer's vector gets what arrived. Throws UsageError
/// if the name is taken or the spec differs from what arrived.
void add_records(Registry& registry, const ArraySpec& spec,
                 std::unique_ptr<detail::RecordsAccess> access, int part);

/// The program does not write to this array any more. Throws UsageError if there is no such array.
void freeze(Registry& registry, const std::string& name);

/// From now on only those bytes of each element move that belong to `type`. Throws UsageError if
/// there is no such array, or if its elements differ in length. Throws what stretches_of() throws
/// (data/type_map.hpp).
void move_only(Registry& registry, const std::string& name, MPI_Datatype type);

/// The number of bytes of all distributed arrays on all ranks together. Of elements that move in
/// part, only the bytes that move count. Rows and records are left out, because each rank knows
/// only the size of its own part. The same on all ranks that have registered the same.
double bytes_in_all(const Registry& registry);

/// Throws UsageError that names something that arrived and that the program has not registered.
void expect_claimed(const Registry& registry);

/// What a source gives into a resize: its parts of the arrays, then its records. Calls the rules,
/// and the owner function for each record. Throws InputError that names the array if a rule gives
/// no partition or its result has changed, or that names the records if one has no owner.
std::vector<Outgoing> outgoing(const Registry& registry, const PartCounts& counts);

/// Names with a home, but without an array.
std::vector<std::string> homes_of_none(const Registry& registry);

/// Sets the homes of the arrays, for parts that will be allocated. Any thread may call this.
void give_homes(const Registry& registry, std::vector<Outgoing>& arrays);

/// Replaces the parts of this rank by the new parts `parts`, which are in the order of outgoing().
/// A rank without a new part gives up its old one. Returns the old parts of arrays.
std::vector<Block> adopt_parts(Registry& registry, const std::vector<Block>& parts);

/// Keeps what a newcomer has received until the program registers it.
void keep_parts(Registry& registry, const std::vector<Outgoing>& arrays,
                const std::vector<Block>& parts);

}  // namespace ductile::data
