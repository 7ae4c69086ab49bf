#include "engine/membership.hpp"

#include <algorithm>

namespace ductile::engine {

namespace {

constexpr int among_tag = 0x0d30;

}  // namespace

MemberComms with_duplicates(mpi::Comm job) {
    MemberComms comms;
    comms.job = mpi::share(std::move(job));
    // Do not make both at the same time by MPI_Comm_idup. If a join leaves such a call unfinished,
    // MPICH finds the error later, in some other call, and treats it as fatal.
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

// For each process of `whose`: its rank in `layout`, if it has one.
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

std::vector<core::Rank> targets_of(const core::Layout& joined, const core::Layout& later) {
    return ranks_in(joined, later);
}

std::vector<core::Rank> ranks_that_stay(const core::Layout& layout, const core::Layout& later) {
    auto ranks = ranks_in(layout, later);
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

}  // namespace ductile::engine
