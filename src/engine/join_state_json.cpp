// The state that the job's rank 0 sends to newcomers, packed as CBOR.
#include "engine/membership.hpp"
#include "wire/fields.hpp"
#include "wire/group_fields.hpp"

namespace ductile::engine {

using wire::Json;

std::string pack_join_state(const JoinState& state) {
    Json layout = Json::object();
    wire::Encoder encoder(layout);
    wire::LayoutFields(state.layout).visit(encoder);
    Json targets = Json::array();
    for (const auto rank : state.targets) targets.push_back(rank.value);
    std::string packed;
    Json::to_cbor(Json{{"point", state.point},
                       {"targets", std::move(targets)},
                       {"layout", std::move(layout)},
                       {"redistribution", plan::to_string(state.redistribution)},
                       {"memory", plan::to_string(state.memory)},
                       {"state", Json::binary({state.packed.begin(), state.packed.end()})}},
                  nlohmann::detail::output_adapter<char>(packed));
    return packed;
}

JoinState unpack_join_state(const std::string& bytes) {
    try {
        const Json packed = Json::from_cbor(bytes);
        JoinState state;
        state.point = packed.at("point");
        wire::LayoutFields layout;
        wire::Decoder decoder(packed.at("layout"), "layout");
        layout.visit(decoder);
        state.layout = std::move(layout);
        for (const auto& rank : packed.at("targets")) state.targets.emplace_back(rank.get<int>());
        const auto executor = plan::executor_named(packed.at("redistribution").get<std::string>());
        if (!executor || executor == plan::Executor::automatic)
            throw Error("the state that the job's rank 0 sent names no redistribution");
        state.redistribution = *executor;
        const auto memory = plan::memory_named(packed.at("memory").get<std::string>());
        if (!memory) throw Error("the state that the job's rank 0 sent names no use of memory");
        state.memory = *memory;
        const auto& data = packed.at("state").get_binary();
        state.packed.assign(data.begin(), data.end());
        return state;
    } catch (const Json::exception& error) {
        throw Error(std::string("the state that the job's rank 0 sent cannot be read: ") +
                    error.what());
    }
}

}  // namespace ductile::engine
