#include "plan/join_partners.hpp"

#include <bit>
#include <set>

namespace ductile::plan {

namespace {

// Of `size` ranks as many as there are in a power of two take part. Of the first 2 * `left_out`
// the even ones do not: they hand their part to the next rank.
class RecursiveDoubling {
  public:
    explicit RecursiveDoubling(int size)
        : taking_part_(static_cast<int>(std::bit_floor(static_cast<unsigned>(size)))),
          left_out_(size - taking_part_) {}

    void add_partners(int rank, std::set<int>& partners) const {
        if (rank < 2 * left_out_) partners.insert(rank ^ 1);
        if (rank < 2 * left_out_ && rank % 2 == 0) return;
        const int place = rank < 2 * left_out_ ? rank / 2 : rank - left_out_;
        for (int bit = 1; bit < taking_part_; bit *= 2) partners.insert(rank_at(place ^ bit));
    }

  private:
    [[nodiscard]] int rank_at(int place) const {
        return place < left_out_ ? 2 * place + 1 : place + left_out_;
    }

    int taking_part_, left_out_;
};

std::vector<int> first_ranks_of_hosts(const std::vector<core::RankRange>& everybody) {
    std::vector<int> firsts;
    std::set<core::HostIndex> seen;
    int rank = 0;
    for (const auto& range : everybody) {
        if (seen.insert(range.host).second) firsts.push_back(rank);
        rank += range.ranks;
    }
    return firsts;
}

}  // namespace

std::vector<core::Rank> join_partners(const std::vector<core::RankRange>& everybody,
                                      core::Rank me) {
    std::set<int> partners;
    RecursiveDoubling(core::ranks_in(everybody)).add_partners(me.value, partners);
    const auto firsts = first_ranks_of_hosts(everybody);
    const auto hosts = static_cast<int>(firsts.size());
    for (int i = 0; i < hosts; ++i) {
        if (firsts[static_cast<std::size_t>(i)] != me.value) continue;
        for (int step = 1; step < hosts; step *= 2)
            for (const int other : {(i + step) % hosts, (i - step + hosts) % hosts})
                partners.insert(firsts[static_cast<std::size_t>(other)]);
    }
    partners.erase(me.value);
    std::vector<core::Rank> ranks;
    for (const int rank : partners) ranks.emplace_back(rank);
    return ranks;
}

}  // namespace ductile::plan
