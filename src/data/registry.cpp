#include "data/registry.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/counted.hpp"
#include "core/thrown.hpp"
#include "data/describe.hpp"
#include "data/records_by_owner.hpp"
#include "data/type_map.hpp"
#include "ductile/error.hpp"

namespace ductile::data {

namespace {

// Adds the name of the array to an error of the rule.
std::shared_ptr<const plan::Partition> partition_by(const plan::Rule& rule, const ArraySpec& spec,
                                                    int parts, const core::Layout* ranks) {
    try {
        return std::make_shared<const plan::Partition>(rule.partition(spec.elements, parts, ranks));
    } catch (...) {  // the rule may be a function of the program
        throw InputError("array '" + spec.name + "' cannot be distributed over " +
                         core::counted(parts, "rank") + ": " + core::text_of_thrown());
    }
}

bool is_registered(const Registry& registry, const std::string& name) {
    const auto array = registry.arrays.find(name);
    if (array != registry.arrays.end() && array->second->claimed) return true;
    const auto records = registry.records.find(name);
    if (records != registry.records.end() && records->second.access) return true;
    const auto value = registry.replicated.find(name);
    return value != registry.replicated.end() && value->second.access;
}

void expect_free(const Registry& registry, const std::string& name, const std::string& what) {
    if (is_registered(registry, name))
        throw UsageError("cannot " + what + " '" + name + "': the name is registered already");
}

Home home_of(const Registry& registry, const std::string& name) {
    const auto found = registry.homes.find(name);
    return found == registry.homes.end() ? nullptr : found->second;
}

// This rank's part was made by an earlier result of the rule. If the result has changed, memory
// outside of the part would be sent.
void expect_unchanged(const detail::ArrayState& array, const plan::Partition& now) {
    if (array.block.partition && *array.block.partition != now)
        throw InputError("array '" + array.spec.name + "': the result of the rule '" +
                         array.spec.rule +
                         "' has changed since the last call; a rule must give the same result at "
                         "each call");
}

// Adds a frozen array to `registry.frozen`, but only when the program has registered the array: its
// rule is not known before.
void keep_frozen(Registry& registry, const detail::ArrayState& array) {
    if (!array.spec.frozen || !array.claimed) return;
    registry.frozen.put({array.spec, array.rule, array.block});
    forbid_writing(array.spec, array.block);
}

}  // namespace

void add_replicated(Registry& registry, const std::string& name, std::string_view type,
                    std::unique_ptr<detail::ReplicatedAccess> access) {
    expect_free(registry, name, "replicate");
    auto& state = registry.replicated[name];
    if (!state.type.empty()) {
        if (state.type != type || !access->accepts(state.arrived))
            throw UsageError("cannot replicate '" + name + "' as " + std::string(type) +
                             ": the value that arrived is " + state.type + " of " +
                             std::to_string(state.arrived.size()) + " bytes");
        access->unpack(state.arrived);
        state.arrived.clear();
    }
    state.type = type;
    state.access = std::move(access);
}

std::shared_ptr<detail::ArrayState> add_array(Registry& registry, ArraySpec spec, plan::Rule rule,
                                              int part, int parts, const core::Layout* ranks) {
    expect_free(registry, spec.name, "distribute");
    const auto found = registry.arrays.find(spec.name);
    auto state = found == registry.arrays.end() ? nullptr : found->second;
    spec.rule = rule.name();
    if (state) spec.frozen = state->spec.frozen, spec.moving = state->spec.moving;
    if (state && state->spec != spec)
        throw UsageError("cannot distribute '" + spec.name + "' as " + describe(spec) +
                         ": the array that arrived is " + describe(state->spec));
    const auto home = home_of(registry, spec.name);
    if (home && spec.kind != Elements::fixed)
        throw UsageError("the rows of '" + spec.name +
                         "' lie in ordinary memory; Schema::keep_in is for arrays of elements");
    if (!state) {
        auto made = std::make_shared<detail::ArrayState>();
        made->block = make_block(spec, partition_by(rule, spec, parts, ranks), part, home);
        if (spec.kind == Elements::fixed) clear(spec, made->block);
        made->spec = std::move(spec);
        state = registry.arrays[made->spec.name] = std::move(made);
    } else if (!rule.is_blocks() &&
               *partition_by(rule, spec, parts, ranks) != *state->block.partition) {
        throw UsageError("cannot distribute '" + spec.name + "' by '" + spec.rule +
                         "': by this rule the rank has other elements than those that arrived");
    }
    state->rule = std::move(rule);
    state->claimed = true;
    keep_frozen(registry, *state);
    return state;
}

void freeze(Registry& registry, const std::string& name) {
    const auto found = registry.arrays.find(name);
    if (found == registry.arrays.end())
        throw UsageError("cannot freeze '" + name + "': there is no such array");
    found->second->spec.frozen = true;
    keep_frozen(registry, *found->second);
}

void move_only(Registry& registry, const std::string& name, MPI_Datatype type) {
    const auto found = registry.arrays.find(name);
    if (found == registry.arrays.end() || found->second->spec.kind != Elements::fixed)
        throw UsageError("cannot move a part of each element of '" + name +
                         "': there is no such array of elements");
    auto& spec = found->second->spec;
    try {
        spec.moving = stretches_of(type, spec.element_bytes);
    } catch (const InputError& error) {
        throw InputError("array '" + name + "': " + error.what());
    }
    keep_frozen(registry, *found->second);
}

void add_records(Registry& registry, const ArraySpec& spec,
                 std::unique_ptr<detail::RecordsAccess> access, int part) {
    expect_free(registry, spec.name, "redistribute");
    auto& state = registry.records[spec.name];
    if (state.arrived.rows) {
        if (state.spec.type != spec.type || state.spec.element_bytes != spec.element_bytes)
            throw UsageError("cannot redistribute '" + spec.name + "' as " + describe(spec) +
                             ": the records that arrived are " + describe(state.spec));
        access->assign(records_in(state.spec, state.arrived));
        state.arrived = {};
    }
    state.spec = spec;
    state.access = std::move(access);
    state.part = part;
}

double bytes_in_all(const Registry& registry) {
    double bytes = 0;
    for (const auto& [name, array] : registry.arrays)
        if (array->spec.kind == Elements::fixed)
            bytes += static_cast<double>(array->spec.elements) *
                     static_cast<double>(moving_bytes(array->spec));
    return bytes;
}

void expect_claimed(const Registry& registry) {
    const auto expect = [](bool claimed, const std::string& what) {
        if (!claimed)
            throw UsageError(what +
                             " has arrived, and this rank has not registered it: before its first "
                             "resize point, a new rank must register everything that the other "
                             "ranks have registered");
    };
    for (const auto& [name, array] : registry.arrays)
        expect(array->claimed, "array '" + name + "'");
    for (const auto& [name, records] : registry.records)
        expect(records.access != nullptr, "a set of records '" + name + "'");
    for (const auto& [name, value] : registry.replicated)
        expect(value.access != nullptr, "replicated value '" + name + "'");
}

std::vector<Outgoing> outgoing(const Registry& registry, const PartCounts& counts) {
    std::vector<Outgoing> arrays;
    for (const auto& [name, array] : registry.arrays) {
        const auto& rule = array->rule;
        auto before = partition_by(rule, array->spec, counts.before, counts.layout_before);
        expect_unchanged(*array, *before);
        const bool is_same = counts.after == counts.before && !rule.goes_by_hosts();
        auto after =
            is_same ? before : partition_by(rule, array->spec, counts.after, counts.layout_after);
        arrays.push_back({array->spec, array->block, std::move(before), std::move(after)});
    }
    give_homes(registry, arrays);
    for (const auto& [name, records] : registry.records)
        arrays.push_back(
            records_by_owner(records.spec, records.access.get(), records.part, counts));
    return arrays;
}

std::vector<std::string> homes_of_none(const Registry& registry) {
    std::vector<std::string> names;
    for (const auto& [name, home] : registry.homes)
        if (!registry.arrays.contains(name)) names.push_back(name);
    return names;
}

void give_homes(const Registry& registry, std::vector<Outgoing>& arrays) {
    for (auto& array : arrays)
        if (array.spec.kind == Elements::fixed) array.home = home_of(registry, array.spec.name);
}

std::vector<Block> adopt_parts(Registry& registry, const std::vector<Block>& parts) {
    std::vector<Block> old;
    auto part = parts.begin();
    for (auto& [name, array] : registry.arrays) {
        old.push_back(std::exchange(array->block, *part++));
        keep_frozen(registry, *array);
    }
    for (auto& [name, records] : registry.records) {
        records.part = part->partition ? part->part : -1;
        records.access->assign(part->rows ? records_in(records.spec, *part)
                                          : std::span<const std::byte>());
        ++part;
    }
    return old;
}

void keep_parts(Registry& registry, const std::vector<Outgoing>& arrays,
                const std::vector<Block>& parts) {
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const auto& spec = arrays[i].spec;
        if (spec.kind == Elements::records) {
            registry.records[spec.name] = {spec, nullptr, parts[i].part, parts[i]};
            continue;
        }
        auto array = std::make_shared<detail::ArrayState>();
        array->spec = spec;
        array->block = parts[i];
        registry.arrays[spec.name] = std::move(array);
    }
}

}  // namespace ductile::data
