#include "data/registry.hpp"

#include <cstring>
#include <nlohmann/json.hpp>

#include "ductile/error.hpp"
#include "plan/distribution.hpp"

namespace ductile::data {

namespace {

using Json = nlohmann::json;

std::string describe(const ArraySpec& spec) {
    return std::to_string(spec.elements) + " elements of " + std::to_string(spec.width) + " x " +
           spec.type;
}

}  // namespace

void add_replicated(Registry& registry, const std::string& name, std::string_view type,
                    std::unique_ptr<detail::ReplicatedAccess> access) {
    auto& state = registry.replicated[name];
    if (state.access)
        throw UsageError("cannot replicate '" + name + "': the name is registered already");
    if (!state.type.empty()) {
        if (state.type != type || !access->accepts(state.arrived.size()))
            throw UsageError("cannot replicate '" + name + "' as " + std::string(type) +
                             ": what arrived is " + state.type + " of " +
                             std::to_string(state.arrived.size()) + " bytes");
        access->unpack(state.arrived);
        state.arrived.clear();
    }
    state.type = type;
    state.access = std::move(access);
}

std::shared_ptr<detail::ArrayState> add_array(Registry& registry, ArraySpec spec, int part,
                                              int parts) {
    auto& state = registry.arrays[spec.name];
    if (state && state->claimed)
        throw UsageError("cannot distribute '" + spec.name + "': the name is registered already");
    if (state) {
        if (state->spec != spec)
            throw UsageError("cannot distribute '" + spec.name + "' as " + describe(spec) +
                             ": what arrived is " + describe(state->spec));
    } else {
        const plan::BlockDistribution distribution{spec.elements, parts};
        auto made = std::make_shared<detail::ArrayState>();
        made->block = make_block(spec, distribution.begin(part), distribution.count(part));
        std::memset(made->block.memory.get(), 0,
                    static_cast<std::size_t>(made->block.count * spec.element_bytes));
        made->spec = std::move(spec);
        state = std::move(made);
    }
    state->claimed = true;
    return state;
}

std::string pack_state(const Registry& registry) {
    Json arrays = Json::array();
    for (const auto& [name, array] : registry.arrays)
        arrays.push_back({name, array->spec.type, array->spec.width, array->spec.element_bytes,
                          array->spec.elements});
    Json values = Json::array();
    for (const auto& [name, value] : registry.replicated) {
        const std::string bytes = value.access ? value.access->pack() : value.arrived;
        values.push_back({name, value.type,
                          Json::binary(std::vector<std::uint8_t>(bytes.begin(), bytes.end()))});
    }
    std::string packed;
    Json::to_cbor(Json{{"arrays", std::move(arrays)}, {"values", std::move(values)}},
                  nlohmann::detail::output_adapter<char>(packed));
    return packed;
}

PackedState unpack_state(const std::string& bytes) {
    try {
        const Json packed = Json::from_cbor(bytes);
        PackedState state;
        for (const auto& a : packed.at("arrays"))
            state.arrays.push_back({a.at(0), a.at(1), a.at(2), a.at(3), a.at(4)});
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

void expect_same(const Registry& registry, const PackedState& state) {
    if (registry.arrays.size() != state.arrays.size())
        throw UsageError("this rank has registered " + std::to_string(registry.arrays.size()) +
                         " distributed arrays, rank 0 " + std::to_string(state.arrays.size()));
    for (const auto& spec : state.arrays) {
        const auto mine = registry.arrays.find(spec.name);
        if (mine == registry.arrays.end() || mine->second->spec != spec)
            throw UsageError(
                "array '" + spec.name + "' is " + describe(spec) + " on rank 0 and " +
                (mine == registry.arrays.end() ? "not registered" : describe(mine->second->spec)) +
                " on this rank");
    }
    if (registry.replicated.size() != state.values.size())
        throw UsageError("this rank has registered " + std::to_string(registry.replicated.size()) +
                         " replicated values, rank 0 " + std::to_string(state.values.size()));
    for (const auto& value : state.values) {
        const auto mine = registry.replicated.find(value.name);
        if (mine == registry.replicated.end())
            throw UsageError("replicated value '" + value.name +
                             "' is registered on rank 0 and not on this rank");
        const auto& [type, access, arrived] = mine->second;
        if (type != value.type || (access && !access->accepts(value.bytes.size())))
            throw UsageError("replicated value '" + value.name + "' is " + type +
                             " on this rank and " + value.type + " on rank 0");
    }
}

}  // namespace ductile::data
