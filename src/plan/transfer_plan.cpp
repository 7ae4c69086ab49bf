#include "plan/transfer_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "core/contract.hpp"

namespace ductile::plan {

namespace {

bool rises(const std::vector<core::Rank>& ranks) {
    return std::adjacent_find(ranks.begin(), ranks.end(), std::greater_equal<>()) == ranks.end();
}

void require_same_shape(const BlockDistribution& from, const std::vector<core::Rank>& from_at,
                        const BlockDistribution& to, const std::vector<core::Rank>& to_at) {
    if (from.elements != to.elements)
        throw std::invalid_argument(fmt::format("cannot plan a transfer from {} elements to {}",
                                                from.elements, to.elements));
    const auto fits = [](const BlockDistribution& blocks, const std::vector<core::Rank>& at) {
        return blocks.parts >= 1 && at.size() == static_cast<std::size_t>(blocks.parts);
    };
    if (!fits(from, from_at) || !fits(to, to_at))
        throw std::invalid_argument(
            fmt::format("cannot plan a transfer from {} parts on {} ranks to {} parts on {} ranks",
                        from.parts, from_at.size(), to.parts, to_at.size()));
}

core::Rank rank_at(const std::vector<core::Rank>& at, int part) {
    return at[static_cast<std::size_t>(part)];
}

/// The part that a rank holds, or -1.
int part_at(const std::vector<core::Rank>& at, core::Rank rank) {
    const auto found = std::lower_bound(at.begin(), at.end(), rank);
    return found != at.end() && *found == rank ? static_cast<int>(found - at.begin()) : -1;
}

/// Calls visit(part, begin, end) for each piece of [begin, end) that lies in one part of `blocks`.
template <class Visit>
void for_each_piece(const BlockDistribution& blocks, std::int64_t begin, std::int64_t end,
                    Visit visit) {
    if (begin == end) return;
    for (int part = blocks.owner(begin); begin < end; ++part) {
        const auto stop = std::min(end, blocks.end(part));
        visit(part, begin, stop);
        begin = stop;
    }
}

}  // namespace

TransferPlan plan_transfer(const BlockDistribution& from, const std::vector<core::Rank>& from_at,
                           const BlockDistribution& to, const std::vector<core::Rank>& to_at) {
    require_same_shape(from, from_at, to, to_at);
    if (!rises(from_at) || !rises(to_at))
        throw std::invalid_argument(
            "cannot plan a transfer between ranks that are not in rising order");
    TransferPlan plan;
    for (int part = 0; part < from.parts; ++part) {
        const auto source = rank_at(from_at, part);
        for_each_piece(to, from.begin(part), from.end(part),
                       [&](int new_part, std::int64_t begin, std::int64_t end) {
                           const auto target = rank_at(to_at, new_part);
                           auto& list = source == target ? plan.kept : plan.sent;
                           list.push_back({source, target, begin, end - begin});
                       });
    }
    return plan;
}

TransferPlan plan_transfer_of(core::Rank rank, const BlockDistribution& from,
                              const std::vector<core::Rank>& from_at, const BlockDistribution& to,
                              const std::vector<core::Rank>& to_at) {
    require_same_shape(from, from_at, to, to_at);
    DUCTILE_EXPECT(rises(from_at) && rises(to_at));
    TransferPlan plan;
    if (const int part = part_at(from_at, rank); part >= 0)
        for_each_piece(to, from.begin(part), from.end(part),
                       [&](int new_part, std::int64_t begin, std::int64_t end) {
                           const auto target = rank_at(to_at, new_part);
                           auto& list = rank == target ? plan.kept : plan.sent;
                           list.push_back({rank, target, begin, end - begin});
                       });
    if (const int part = part_at(to_at, rank); part >= 0)
        for_each_piece(from, to.begin(part), to.end(part),
                       [&](int old_part, std::int64_t begin, std::int64_t end) {
                           const auto source = rank_at(from_at, old_part);
                           if (source != rank)
                               plan.sent.push_back({source, rank, begin, end - begin});
                       });
    std::sort(plan.sent.begin(), plan.sent.end(),
              [](const Transfer& a, const Transfer& b) { return a.begin < b.begin; });
    return plan;
}

bool moves_each_once(const TransferPlan& plan, const BlockDistribution& from,
                     const std::vector<core::Rank>& from_at, const BlockDistribution& to,
                     const std::vector<core::Rank>& to_at) {
    std::vector<Transfer> all = plan.sent;
    all.insert(all.end(), plan.kept.begin(), plan.kept.end());
    std::sort(all.begin(), all.end(),
              [](const Transfer& a, const Transfer& b) { return a.begin < b.begin; });
    std::int64_t covered = 0;
    for (const auto& [source, target, begin, count] : all) {
        if (begin != covered || count < 1 || begin > from.elements - count) return false;
        covered += count;
        for (const auto element : {begin, begin + count - 1})
            if (rank_at(from_at, from.owner(element)) != source ||
                rank_at(to_at, to.owner(element)) != target)
                return false;
    }
    return covered == from.elements;
}

}  // namespace ductile::plan
