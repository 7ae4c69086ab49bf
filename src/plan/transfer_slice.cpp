#include "plan/transfer_slice.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/contract.hpp"

namespace ductile::plan {

namespace {

using Pair = std::pair<core::Rank, core::Rank>;

/// How many of these elements are in the slices before this one. Without a product that is too
/// large.
std::int64_t before(std::int64_t elements, std::int64_t index, std::int64_t of) {
    return elements / of * index + elements % of * index / of;
}

std::vector<Transfer> cut(const std::vector<Transfer>& list, Slice slice) {
    std::map<Pair, std::int64_t> all, seen;
    for (const auto& t : list) all[{t.source, t.target}] += t.count;
    std::vector<Transfer> cut;
    for (const auto& t : list) {
        const Pair pair{t.source, t.target};
        const auto place = std::exchange(seen[pair], seen[pair] + t.count);
        const auto from =
            std::max(before(all[pair], slice.index, slice.of) - place, std::int64_t{0});
        const auto to = std::min(before(all[pair], slice.index + 1, slice.of) - place, t.count);
        if (from < to) cut.push_back({t.source, t.target, t.begin + from, to - from});
    }
    return cut;
}

}  // namespace

TransferPlan slice_of(const TransferPlan& mine, Slice slice) {
    DUCTILE_EXPECT(0 <= slice.index && slice.index < slice.of);
    if (slice.of == 1) return mine;
    return {cut(mine.sent, slice), cut(mine.kept, slice)};
}

}  // namespace ductile::plan
