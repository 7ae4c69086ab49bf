#include "engine/membership.hpp"

#include <algorithm>

#include "wire/frame.hpp"

namespace ductile::engine {

namespace {

using wire::Json;

constexpr int among_tag = 0x0d30;

}  // namespace

MemberComms with_duplicates(mpi::Comm job) {
    MemberComms comms;
    comms.job = mpi::share(std::move(job));
    comms.vote = mpi::share(comms.job->duplicate());
    comms.switching = mpi::share(comms.job->duplicate());
    return comms;
}

MemberComms among(const mpi::Comm& all, const std::vector<core::Rank>& ranks) {
    std::vector<int> values;
    for (const auto rank : ranks) values.push_back(rank.value);
    return with_duplicates(mpi::create_group(all, values, among_tag));
}

std::vector<core::Rank> first_ranks(int n) {
    std::vector<core::Rank> ranks;
    for (int i = 0; i < n; ++i) ranks.push_back(core::Rank{i});
    return ranks;
}

std::vector<core::Rank> ranks_before(const BeforeParking& before, const core::Layout& later) {
    std::vector<core::Rank> ranks;
    for (const auto& group : later.groups) {
        const int first = before.layout.first_rank(group.id).value;
        for (int i = 0; i < group.ranks; ++i) ranks.emplace_back(first + i);
    }
    return ranks;
}

std::vector<core::Rank> ranks_that_stay(const core::Layout& layout,
                                        const std::vector<core::GroupId>& leaving, int parking) {
    std::vector<core::Rank> stay;
    int rank = 0;
    for (const auto& group : layout.groups) {
        const bool leaves = std::find(leaving.begin(), leaving.end(), group.id) != leaving.end();
        for (int i = 0; i < group.ranks; ++i, ++rank)
            if (!leaves) stay.push_back(core::Rank{rank});
    }
    stay.resize(stay.size() - static_cast<std::size_t>(parking));
    return stay;
}

std::string pack_join_state(const JoinState& state) {
    Json groups = Json::array();
    for (const auto& g : state.layout.groups)
        groups.push_back({g.id.value, g.host.value, g.ranks, g.parked});
    Json staying = Json::array();
    for (const auto rank : state.staying) staying.push_back(rank.value);
    std::string packed;
    Json::to_cbor(Json{{"point", state.point},
                       {"staying", std::move(staying)},
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
                {core::GroupId{g.at(0)}, core::HostIndex{g.at(1)}, g.at(2), {}, g.at(3)});
        for (const auto& rank : packed.at("staying")) state.staying.emplace_back(rank.get<int>());
        const auto& data = packed.at("state").get_binary();
        state.packed.assign(data.begin(), data.end());
        return state;
    } catch (const Json::exception& error) {
        throw Error(std::string("the state that the job's rank 0 sent cannot be read: ") +
                    error.what());
    }
}

}  // namespace ductile::engine
