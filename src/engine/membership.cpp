#include "engine/membership.hpp"

#include <algorithm>

#include "wire/frame.hpp"
#include "wire/group_fields.hpp"

namespace ductile::engine {

namespace {

using wire::Json;

constexpr int among_tag = 0x0d30;

}  // namespace

MemberComms with_duplicates(mpi::Comm job) {
    MemberComms comms;
    comms.job = mpi::share(std::move(job));
    // Not both at once by MPI_Comm_idup: of one that a join leaves unfinished MPICH meets the error
    // later, in whichever call is at work then, and takes it for fatal.
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

namespace {

// Process by process of `whose`: its rank in `layout`, where it has one.
std::vector<core::Rank> ranks_in(const core::Layout& layout, const core::Layout& whose) {
    std::vector<core::Rank> ranks;
    for (const auto& range : whose.active)
        for (int i = 0; i < range.ranks; ++i)
            if (const auto rank = layout.rank_of({range.group, core::Rank{range.first.value + i}}))
                ranks.push_back(*rank);
    return ranks;
}

}  // namespace

std::vector<core::Rank> ranks_before(const BeforeParking& before, const core::Layout& later) {
    return ranks_in(before.layout, later);
}

std::vector<core::Rank> ranks_that_stay(const core::Layout& layout, const core::Layout& later) {
    auto ranks = ranks_in(layout, later);
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

std::string pack_join_state(const JoinState& state) {
    Json layout = Json::object();
    wire::Encoder encoder(layout);
    wire::LayoutFields(state.layout).visit(encoder);
    Json staying = Json::array();
    for (const auto rank : state.staying) staying.push_back(rank.value);
    std::string packed;
    Json::to_cbor(Json{{"point", state.point},
                       {"staying", std::move(staying)},
                       {"layout", std::move(layout)},
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
