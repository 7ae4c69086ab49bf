#include "data/registry.hpp"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/counted.hpp"
#include "data/partition_json.hpp"
#include "ductile/error.hpp"

namespace ductile::data {

namespace {

using Json = nlohmann::json;

std::string describe(const ArraySpec& spec) {
    auto text = std::to_string(spec.elements) + " elements of " + std::to_string(spec.width) +
                " x " + spec.type + ", by '" + spec.rule + "'";
    if (spec.halo != Halo{})
        text += ", with a halo of " + std::to_string(spec.halo.before) + " and " +
                std::to_string(spec.halo.after);
    return text;
}

// Names the array where the rule is the program's.
std::shared_ptr<const plan::Partition> partition_by(const plan::Rule& rule, const ArraySpec& spec,
                                                    int parts) {
    try {
        return std::make_shared<const plan::Partition>(rule.partition(spec.elements, parts));
    } catch (const std::exception& error) {  // the rule may be a function of the program's
        throw InputError("array '" + spec.name + "' cannot be distributed over " +
                         core::counted(parts, "rank") + ": " + error.what());
    }
}

const std::string& name_of_array(const Outgoing& array) {
    return array.spec.name;
}

const std::string& name_on_rank_0(const PackedState::Array& array) {
    return array.spec.name;
}

void expect_same_distribution(const Outgoing& mine, const PackedState::Array& theirs) {
    for (const auto& [parts, partition] : theirs.partitions)
        if (mine.rule.partition(mine.spec.elements, parts) != partition)
            throw UsageError("the distribution of array '" + mine.spec.name + "' by '" +
                             mine.spec.rule + "' over " + core::counted(parts, "rank") +
                             " is another one on this rank than on rank 0");
}

}  // namespace

void add_replicated(Registry& registry, const std::string& name, std::string_view type,
                    std::unique_ptr<detail::ReplicatedAccess> access) {
    auto& state = registry.replicated[name];
    if (state.access)
        throw UsageError("cannot replicate '" + name + "': the name is registered already");
    if (!state.type.empty()) {
        if (state.type != type || !access->accepts(state.arrived))
            throw UsageError("cannot replicate '" + name + "' as " + std::string(type) +
                             ": what arrived is " + state.type + " of " +
                             std::to_string(state.arrived.size()) + " bytes");
        access->unpack(state.arrived);
        state.arrived.clear();
    }
    state.type = type;
    state.access = std::move(access);
}

std::shared_ptr<detail::ArrayState> add_array(Registry& registry, ArraySpec spec, plan::Rule rule,
                                              int part, int parts) {
    const auto found = registry.arrays.find(spec.name);
    auto state = found == registry.arrays.end() ? nullptr : found->second;
    if (state && state->claimed)
        throw UsageError("cannot distribute '" + spec.name + "': the name is registered already");
    spec.rule = rule.name();
    if (state && state->spec != spec)
        throw UsageError("cannot distribute '" + spec.name + "' as " + describe(spec) +
                         ": what arrived is " + describe(state->spec));
    if (!state) {
        auto made = std::make_shared<detail::ArrayState>();
        made->block = make_block(spec, partition_by(rule, spec, parts), part);
        clear(spec, made->block);
        made->spec = std::move(spec);
        state = registry.arrays[made->spec.name] = std::move(made);
    } else if (!rule.is_blocks() && *partition_by(rule, spec, parts) != *state->block.partition) {
        throw UsageError("cannot distribute '" + spec.name + "' by '" + spec.rule +
                         "': it gives other elements than those that arrived");
    }
    state->rule = std::move(rule);
    state->claimed = true;
    return state;
}

void expect_claimed(const Registry& registry) {
    const auto expect = [](bool claimed, const std::string& what) {
        if (!claimed)
            throw UsageError(what +
                             " has arrived, and this rank has not registered it: a new rank has to "
                             "register what the others have before its first resize point");
    };
    for (const auto& [name, array] : registry.arrays)
        expect(array->claimed, "array '" + name + "'");
    for (const auto& [name, value] : registry.replicated)
        expect(value.access != nullptr, "replicated value '" + name + "'");
}

std::vector<Outgoing> outgoing(const Registry& registry, const PartCounts& counts) {
    std::vector<Outgoing> arrays;
    for (const auto& [name, array] : registry.arrays) {
        const auto& spec = array->spec;
        if (array->rule.is_blocks()) {
            arrays.push_back({spec, array->block, {}});
            continue;
        }
        std::map<int, plan::Partition> partitions;
        for (const int parts : {counts.before, counts.after})
            if (!partitions.contains(parts))
                partitions.emplace(parts, *partition_by(array->rule, spec, parts));
        arrays.push_back({spec, array->block, plan::Rule::told(spec.rule, std::move(partitions))});
    }
    return arrays;
}

namespace {

Json arrays_to_json(const std::vector<Outgoing>& outgoing, const PartCounts& counts) {
    Json arrays = Json::array();
    for (const auto& array : outgoing) {
        const auto& spec = array.spec;
        Json partitions = Json::array();
        if (!array.rule.is_blocks())
            for (const int parts : {counts.before, counts.after})
                partitions.push_back(partition_to_json(array.rule.partition(spec.elements, parts)));
        arrays.push_back({spec.name, spec.type, spec.width, spec.element_bytes, spec.elements,
                          spec.rule, spec.halo.before, spec.halo.after, std::move(partitions)});
    }
    return arrays;
}

std::string to_cbor(const Json& json) {
    std::string bytes;
    Json::to_cbor(json, nlohmann::detail::output_adapter<char>(bytes));
    return bytes;
}

/// FNV-1a, of 64 bits.
std::uint64_t hash_of(const std::string& bytes) {
    std::uint64_t hash = 14695981039346656037U;
    for (const char byte : bytes) {
        hash ^= static_cast<unsigned char>(byte);
        hash *= 1099511628211U;
    }
    return hash;
}

}  // namespace

std::int64_t fingerprint(const Registry& registry, const std::vector<Outgoing>& outgoing,
                         const PartCounts& counts) {
    Json values = Json::array();
    for (const auto& [name, value] : registry.replicated) values.push_back({name, value.type});
    const auto hash = hash_of(to_cbor(Json::array({arrays_to_json(outgoing, counts), values})));
    return static_cast<std::int64_t>(hash >> 1U);
}

std::string pack_state(const Registry& registry, const std::vector<Outgoing>& outgoing,
                       const PartCounts& counts) {
    Json values = Json::array();
    for (const auto& [name, value] : registry.replicated) {
        const std::string bytes = value.access ? value.access->pack() : value.arrived;
        values.push_back({name, value.type,
                          Json::binary(std::vector<std::uint8_t>(bytes.begin(), bytes.end()))});
    }
    return to_cbor(
        Json{{"arrays", arrays_to_json(outgoing, counts)}, {"values", std::move(values)}});
}

plan::Rule PackedState::Array::rule() const {
    return partitions.empty() ? plan::Rule() : plan::Rule::told(spec.rule, partitions);
}

PackedState unpack_state(const std::string& bytes) {
    try {
        const Json packed = Json::from_cbor(bytes);
        PackedState state;
        for (const auto& a : packed.at("arrays")) {
            PackedState::Array array{
                {a.at(0), a.at(1), a.at(2), a.at(3), a.at(4), a.at(5), {a.at(6), a.at(7)}}, {}};
            for (const auto& text : a.at(8)) {
                auto partition = partition_from_json(text);
                const int parts = partition.parts();
                array.partitions.emplace(parts, std::move(partition));
            }
            state.arrays.push_back(std::move(array));
        }
        for (const auto& v : packed.at("values")) {
            const auto& data = v.at(2).get_binary();
            state.values.push_back({v.at(0), v.at(1), std::string(data.begin(), data.end())});
        }
        return state;
    } catch (const Json::exception& error) {
        throw Error(std::string("the state that rank 0 sent cannot be read: ") + error.what());
    }
}

void adopt_values(Registry& registry, const PackedState& state) {
    for (const auto& value : state.values) {
        auto& mine = registry.replicated[value.name];
        mine.type = value.type;
        if (mine.access)
            mine.access->unpack(value.bytes);
        else
            mine.arrived = value.bytes;
    }
}

void expect_same(const Registry& registry, const std::vector<Outgoing>& arrays,
                 const PackedState& state) {
    for (const auto& array : arrays)
        if (std::ranges::find(state.arrays, array.spec.name, name_on_rank_0) == state.arrays.end())
            throw UsageError("array '" + array.spec.name +
                             "' is registered on this rank and not on rank 0");
    for (const auto& array : state.arrays) {
        const auto& spec = array.spec;
        const auto mine = std::ranges::find(arrays, spec.name, name_of_array);
        if (mine == arrays.end() || mine->spec != spec)
            throw UsageError("array '" + spec.name + "' is " + describe(spec) + " on rank 0 and " +
                             (mine == arrays.end() ? "not registered" : describe(mine->spec)) +
                             " on this rank");
        expect_same_distribution(*mine, array);
    }
    for (const auto& [name, value] : registry.replicated)
        if (std::ranges::find(state.values, name, &PackedState::Value::name) == state.values.end())
            throw UsageError("replicated value '" + name +
                             "' is registered on this rank and not on rank 0");
    for (const auto& value : state.values) {
        const auto mine = registry.replicated.find(value.name);
        if (mine == registry.replicated.end())
            throw UsageError("replicated value '" + value.name +
                             "' is registered on rank 0 and not on this rank");
        const auto& [type, access, arrived] = mine->second;
        if (type != value.type || (access && !access->accepts(value.bytes)))
            throw UsageError("replicated value '" + value.name + "' is " + type +
                             " on this rank and " + value.type + " on rank 0");
    }
}

}  // namespace ductile::data
