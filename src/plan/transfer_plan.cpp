#include "plan/transfer_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "core/contract.hpp"

namespace ductile::plan {

namespace {

bool are_apart(std::vector<core::Rank> ranks) {
    std::ranges::sort(ranks);
    return std::ranges::adjacent_find(ranks) == ranks.end();
}

void require_same_shape(const Partition& from, const std::vector<core::Rank>& from_at,
                        const Partition& to, const std::vector<core::Rank>& to_at) {
    if (from.elements() != to.elements())
        throw std::invalid_argument(fmt::format("cannot plan a transfer from {} elements to {}",
                                                from.elements(), to.elements()));
    const auto fits = [](const Partition& blocks, const std::vector<core::Rank>& at) {
        return blocks.parts() >= 1 && at.size() == static_cast<std::size_t>(blocks.parts());
    };
    if (!fits(from, from_at) || !fits(to, to_at))
        throw std::invalid_argument(
            fmt::format("cannot plan a transfer from {} parts on {} ranks to {} parts on {} ranks",
                        from.parts(), from_at.size(), to.parts(), to_at.size()));
}

core::Rank rank_at(const std::vector<core::Rank>& at, int part) {
    return at[static_cast<std::size_t>(part)];
}

/// The part that a rank holds, or -1.
int part_at(const std::vector<core::Rank>& at, core::Rank rank) {
    const auto found = std::ranges::find(at, rank);
    return found != at.end() ? static_cast<int>(found - at.begin()) : -1;
}

/// Calls visit(other part, begin, end) for each piece of `mine` that lies in one part of `others`.
template <class Visit>
void for_each_piece(const std::vector<Range>& mine, const Partition& others, Visit visit) {
    for (const auto& range : mine)
        for (auto begin = range.begin; begin < range.end;) {
            const auto end = std::min(range.end, others.run_end(begin));
            visit(others.owner(begin), begin, end);
            begin = end;
        }
}

/// Sorts by `begin`. Joins neighbouring entries with the same source and target.
void put_in_order(std::vector<Transfer>& list) {
    std::ranges::sort(list, {}, &Transfer::begin);
    std::vector<Transfer> joined;
    for (const auto& next : list) {
        auto* last = joined.empty() ? nullptr : &joined.back();
        if (last != nullptr && last->source == next.source && last->target == next.target &&
            last->begin + last->count == next.begin)
            last->count += next.count;
        else
            joined.push_back(next);
    }
    list = std::move(joined);
}

void add_sources_part(TransferPlan& plan, core::Rank source, const std::vector<Range>& held,
                      const Partition& to, const std::vector<core::Rank>& to_at) {
    for_each_piece(held, to, [&](int new_part, std::int64_t begin, std::int64_t end) {
        const auto target = rank_at(to_at, new_part);
        auto& list = source == target ? plan.kept : plan.sent;
        list.push_back({source, target, begin, end - begin});
    });
}

TransferPlan in_order(TransferPlan plan) {
    put_in_order(plan.sent);
    put_in_order(plan.kept);
    return plan;
}

}  // namespace

TransferPlan plan_transfer(const Partition& from, const std::vector<core::Rank>& from_at,
                           const Partition& to, const std::vector<core::Rank>& to_at) {
    require_same_shape(from, from_at, to, to_at);
    if (!are_apart(from_at) || !are_apart(to_at))
        throw std::invalid_argument("cannot plan a transfer to or from a rank with two parts");
    TransferPlan plan;
    for (int part = 0; part < from.parts(); ++part)
        add_sources_part(plan, rank_at(from_at, part), from.ranges(part), to, to_at);
    return in_order(std::move(plan));
}

TransferPlan plan_transfer_of(core::Rank rank, const Partition& from,
                              const std::vector<core::Rank>& from_at, const Partition& to,
                              const std::vector<core::Rank>& to_at) {
    require_same_shape(from, from_at, to, to_at);
    DUCTILE_EXPECT(are_apart(from_at) && are_apart(to_at));
    TransferPlan plan;
    if (const int part = part_at(from_at, rank); part >= 0)
        add_sources_part(plan, rank, from.ranges(part), to, to_at);
    if (const int part = part_at(to_at, rank); part >= 0)
        for_each_piece(to.ranges(part), from,
                       [&](int old_part, std::int64_t begin, std::int64_t end) {
                           const auto source = rank_at(from_at, old_part);
                           if (source != rank)
                               plan.sent.push_back({source, rank, begin, end - begin});
                       });
    return in_order(std::move(plan));
}

bool moves_each_once(const TransferPlan& plan, const Partition& from,
                     const std::vector<core::Rank>& from_at, const Partition& to,
                     const std::vector<core::Rank>& to_at) {
    std::vector<Transfer> all = plan.sent;
    all.insert(all.end(), plan.kept.begin(), plan.kept.end());
    std::sort(all.begin(), all.end(),
              [](const Transfer& a, const Transfer& b) { return a.begin < b.begin; });
    const auto goes = [](const Partition& by, const std::vector<core::Rank>& at,
                         const Transfer& transfer, core::Rank rank) {
        const auto end = transfer.begin + transfer.count;
        for (auto element = transfer.begin; element < end; element = by.run_end(element))
            if (rank_at(at, by.owner(element)) != rank) return false;
        return true;
    };
    std::int64_t covered = 0;
    for (const auto& one : all) {
        if (one.begin != covered || one.count < 1 || one.begin > from.elements() - one.count)
            return false;
        if (!goes(from, from_at, one, one.source) || !goes(to, to_at, one, one.target))
            return false;
        covered += one.count;
    }
    return covered == from.elements();
}

}  // namespace ductile::plan
