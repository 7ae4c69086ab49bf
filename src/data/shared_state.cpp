#include "data/shared_state.hpp"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/counted.hpp"
#include "core/hash.hpp"
#include "data/describe.hpp"
#include "data/partition_json.hpp"
#include "ductile/error.hpp"

namespace ductile::data {

namespace {

using Json = nlohmann::json;

const std::string& name_of_array(const Outgoing& array) {
    return array.spec.name;
}

Json stretches_to_json(const std::vector<Stretch>& stretches) {
    Json list = Json::array();
    for (const auto& stretch : stretches) list.push_back({stretch.offset, stretch.bytes});
    return list;
}

std::vector<Stretch> stretches_from_json(const Json& list) {
    std::vector<Stretch> stretches;
    for (const auto& one : list) stretches.push_back({one.at(0), one.at(1)});
    return stretches;
}

Json spec_to_json(const ArraySpec& spec) {
    return {spec.name,
            spec.type,
            spec.width,
            spec.element_bytes,
            spec.elements,
            spec.rule,
            spec.halo.before,
            spec.halo.after,
            spec.kind,
            spec.frozen,
            stretches_to_json(spec.moving)};
}

ArraySpec spec_from_json(const Json& text) {
    return {text.at(0),
            text.at(1),
            text.at(2),
            text.at(3),
            text.at(4),
            text.at(5),
            {text.at(6), text.at(7)},
            text.at(8),
            text.at(9),
            stretches_from_json(text.at(10))};
}

Json arrays_to_json(const std::vector<Outgoing>& outgoing) {
    Json arrays = Json::array();
    for (const auto& array : outgoing)
        arrays.push_back({spec_to_json(array.spec), partition_to_json(*array.before),
                          partition_to_json(*array.after)});
    return arrays;
}

Outgoing array_from_json(const Json& text) {
    const auto partition = [&](std::size_t at) {
        return std::make_shared<const plan::Partition>(partition_from_json(text.at(at)));
    };
    return {spec_from_json(text.at(0)), {}, partition(1), partition(2)};
}

std::string to_cbor(const Json& json) {
    std::string bytes;
    Json::to_cbor(json, nlohmann::detail::output_adapter<char>(bytes));
    return bytes;
}

void expect_same_distribution(const ArraySpec& spec, const SharedPartition& mine,
                              const SharedPartition& theirs) {
    if (*mine != *theirs)
        throw UsageError("the distribution of array '" + spec.name + "' by '" + spec.rule +
                         "' over " + core::counted(theirs->parts(), "rank") +
                         " is another one on this rank than on rank 0");
}

}  // namespace

std::int64_t fingerprint(const Registry& registry, const std::vector<Outgoing>& outgoing) {
    Json values = Json::array();
    for (const auto& [name, value] : registry.replicated) values.push_back({name, value.type});
    const auto hash = core::hash_of(to_cbor(Json::array({arrays_to_json(outgoing), values})));
    return static_cast<std::int64_t>(hash >> 1U);
}

std::string pack_state(const Registry& registry, const std::vector<Outgoing>& outgoing) {
    Json values = Json::array();
    for (const auto& [name, value] : registry.replicated) {
        const std::string bytes = value.access ? value.access->pack() : value.arrived;
        values.push_back({name, value.type,
                          Json::binary(std::vector<std::uint8_t>(bytes.begin(), bytes.end()))});
    }
    return to_cbor(Json{{"arrays", arrays_to_json(outgoing)}, {"values", std::move(values)}});
}

PackedState unpack_state(const std::string& bytes) {
    try {
        const Json packed = Json::from_cbor(bytes);
        PackedState state;
        for (const auto& array : packed.at("arrays"))
            state.arrays.push_back(array_from_json(array));
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
        if (std::ranges::find(state.arrays, array.spec.name, name_of_array) == state.arrays.end())
            throw UsageError("array '" + array.spec.name +
                             "' is registered on this rank and not on rank 0");
    for (const auto& array : state.arrays) {
        const auto& spec = array.spec;
        const auto mine = std::ranges::find(arrays, spec.name, name_of_array);
        if (mine == arrays.end() || mine->spec != spec)
            throw UsageError("array '" + spec.name + "' is " + describe(spec) + " on rank 0 and " +
                             (mine == arrays.end() ? "not registered" : describe(mine->spec)) +
                             " on this rank");
        expect_same_distribution(spec, mine->before, array.before);
        expect_same_distribution(spec, mine->after, array.after);
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
