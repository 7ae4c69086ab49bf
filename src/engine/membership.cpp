#include "engine/membership.hpp"

#include "wire/frame.hpp"

namespace ductile::engine {

namespace {

using wire::Json;

}  // namespace

MemberComms with_duplicates(mpi::Comm job) {
    MemberComms comms;
    comms.job = mpi::share(std::move(job));
    comms.vote = mpi::share(comms.job->duplicate());
    comms.switching = mpi::share(comms.job->duplicate());
    return comms;
}

std::string pack_join_state(const JoinState& state) {
    Json groups = Json::array();
    for (const auto& g : state.layout.groups) groups.push_back({g.id.value, g.host.value, g.ranks});
    std::string packed;
    Json::to_cbor(Json{{"point", state.point},
                       {"layout", std::move(groups)},
                       {"state", Json::binary({state.packed.begin(), state.packed.end()})}},
                  nlohmann::detail::output_adapter<char>(packed));
    return packed;
}

JoinState unpack_join_state(const std::string& bytes) {
    try {
        const Json packed = Json::from_cbor(bytes);
        JoinState state;
        state.point = packed.at("point");
        for (const auto& g : packed.at("layout"))
            state.layout.groups.push_back(
                {core::GroupId{g.at(0)}, core::HostIndex{g.at(1)}, g.at(2)});
        const auto& data = packed.at("state").get_binary();
        state.packed.assign(data.begin(), data.end());
        return state;
    } catch (const Json::exception& error) {
        throw Error(std::string("the state that the job's rank 0 sent cannot be read: ") +
                    error.what());
    }
}

}  // namespace ductile::engine
