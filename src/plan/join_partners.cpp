#include "plan/join_partners.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "core/contract.hpp"

namespace ductile::plan {

namespace {

// The number of ranks that take part is the largest power of two up to `size`. Of the first 2 *
// `left_out` ranks the even ones take no part: each hands its data to the next rank.
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

// In each step the partners are `step` places away on both sides. Each step doubles the distance.
void add_dissemination(int place, int size, std::set<int>& partners) {
    for (int step = 1; step < size; step *= 2)
        for (const int other : {(place + step) % size, (place - step + size) % size})
            partners.insert(other);
}

/// The ranks of each machine, rising. Machines come in the order in which they appear.
std::vector<std::vector<int>> ranks_by_machine(const std::vector<core::RankRange>& everybody,
                                               Machines machines) {
    std::vector<std::vector<int>> by_machine;
    std::map<core::HostIndex, std::size_t> place;
    int rank = 0;
    for (const auto& range : everybody) {
        const auto host = machines == Machines::one ? core::HostIndex{0} : range.host;
        const auto at = place.try_emplace(host, by_machine.size()).first->second;
        if (at == by_machine.size()) by_machine.emplace_back();
        for (int i = 0; i < range.ranks; ++i) by_machine[at].push_back(rank++);
    }
    return by_machine;
}

/// Adds the partners of `me` in both kinds of trees among these ranks, if `me` is one of them.
void add_partners_among(const std::vector<int>& ranks, int me, std::set<int>& partners) {
    const auto found = std::ranges::find(ranks, me);
    if (found == ranks.end()) return;
    const auto place = static_cast<int>(found - ranks.begin());
    const auto size = static_cast<int>(ranks.size());
    std::set<int> places;
    RecursiveDoubling(size).add_partners(place, places);
    add_dissemination(place, size, places);
    for (const int other : places) partners.insert(ranks[static_cast<std::size_t>(other)]);
}

}  // namespace

std::vector<core::Rank> join_partners(const std::vector<core::RankRange>& everybody, core::Rank me,
                                      Machines machines) {
    DUCTILE_EXPECT(0 <= me.value && me.value < core::ranks_in(everybody));
    std::set<int> partners;
    RecursiveDoubling(core::ranks_in(everybody)).add_partners(me.value, partners);
    std::vector<int> firsts;
    for (const auto& ranks : ranks_by_machine(everybody, machines)) {
        firsts.push_back(ranks.front());
        add_partners_among(ranks, me.value, partners);
    }
    add_partners_among(firsts, me.value, partners);
    partners.erase(me.value);
    std::vector<core::Rank> ranks;
    for (const int rank : partners) ranks.emplace_back(rank);
    return ranks;
}

}  // namespace ductile::plan
