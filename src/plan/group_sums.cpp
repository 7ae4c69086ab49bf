#include "plan/group_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>

namespace ductile::plan {

GroupSums::GroupSums(const std::vector<core::Group>& groups) {
    std::int64_t total = 0;
    for (const auto& group : groups) {
        if (group.ranks < 1)
            throw std::invalid_argument(
                fmt::format("group {} has {} ranks (1 is the least)", group.id.value, group.ranks));
        total += group.ranks;
        unit_ = std::gcd(unit_, group.ranks);
    }
    unit_ = std::max(unit_, 1);
    const auto largest = static_cast<std::size_t>(total / unit_);
    needed_.assign(largest + 1, never);
    possible_.assign(largest / 64 + 1, 0);
    needed_[0] = 0;
    possible_[0] = 1;
    int group_number = 0;
    for (const auto& group : groups)
        add(static_cast<std::size_t>(group.ranks / unit_), ++group_number);
}

/// The subset-sum recurrence on whole words: possible |= possible << size. From the high word down,
/// so that each word is read before it changes.
void GroupSums::add(std::size_t size, int group_number) {
    const std::size_t words = size / 64;
    const std::size_t bits = size % 64;
    for (std::size_t at = possible_.size(); at-- > words;) {
        std::uint64_t shifted = possible_[at - words] << bits;
        if (bits > 0 && at > words) shifted |= possible_[at - words - 1] >> (64 - bits);
        for (auto fresh = shifted & ~possible_[at]; fresh != 0; fresh &= fresh - 1)
            needed_[at * 64 + static_cast<std::size_t>(std::countr_zero(fresh))] = group_number;
        possible_[at] |= shifted;
    }
}

bool GroupSums::reaches(int ranks, int k) const {
    if (ranks < 0 || ranks % unit_ != 0) return false;
    const auto sum = static_cast<std::size_t>(ranks / unit_);
    return sum < needed_.size() && needed_[sum] <= k;
}

std::vector<int> GroupSums::nearest(int ranks) const {
    const int largest = static_cast<int>(needed_.size()) - 1;
    const auto possible = [this](int sum) {
        return needed_[static_cast<std::size_t>(sum)] != never;
    };
    int below = ranks < 1 ? 0 : std::min((ranks - 1) / unit_, largest);
    while (below > 0 && !possible(below)) --below;
    int above = ranks < 1 ? 1 : ranks / unit_ + 1;
    while (above <= largest && !possible(above)) ++above;
    std::vector<int> found;
    if (below > 0) found.push_back(below * unit_);
    if (above <= largest) found.push_back(above * unit_);
    return found;
}

}  // namespace ductile::plan
