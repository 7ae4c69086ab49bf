#include "plan/child_placement.hpp"

#include <algorithm>
#include <charconv>

namespace ductile::plan {

namespace {

constexpr int most_ranks = 1 << 20;

using Placed = std::variant<std::vector<core::Share>, std::string>;

Placed place_as_wished(int ranks, std::vector<HostWish> wishes,
                       const std::vector<ChildHost>& hosts) {
    int said = 0;
    int open = 0;
    for (const auto& wish : wishes) {
        said += std::min(wish.ranks, ranks - std::min(said, ranks));
        open += wish.ranks == 0 ? 1 : 0;
    }
    int rest = ranks - said;
    if (rest > 0 && open == 0)
        return "the hosts that are named take " + std::to_string(said) + " of " +
               std::to_string(ranks) + " ranks";
    std::vector<core::Share> shares;
    int left = ranks;
    for (auto& wish : wishes) {
        const auto found = std::ranges::find(hosts, wish.name, &ChildHost::name);
        if (found == hosts.end()) return "host " + wish.name + " is not one of the job's";
        if (std::ranges::find(shares, found->host, &core::Share::host) != shares.end())
            return "host " + wish.name + " is named twice";
        if (wish.ranks == 0) {
            wish.ranks = (rest + open - 1) / open;
            rest -= wish.ranks;
            --open;
        }
        const int here = std::min(wish.ranks, left);
        if (here > found->room.value_or(here))
            return "host " + wish.name + " has room for " + std::to_string(*found->room) + " of " +
                   std::to_string(here) + " processes (max_slots)";
        if (here > 0) shares.push_back({found->host, here});
        left -= here;
    }
    return shares;
}

}  // namespace

std::vector<HostWish> parse_host_wishes(std::string_view text) {
    std::vector<HostWish> wishes;
    while (!text.empty()) {
        const auto word = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        const auto colon = word.rfind(':');
        HostWish wish{std::string(word.substr(0, colon)), 0};
        if (colon != word.npos) {
            const auto* end = word.data() + word.size();
            const auto read = std::from_chars(word.data() + colon + 1, end, wish.ranks);
            if (read.ec != std::errc() || read.ptr != end || wish.ranks < 1 ||
                wish.ranks > most_ranks)
                return {};
        }
        wishes.push_back(std::move(wish));
    }
    return wishes;
}

Placed place_children(int ranks, const std::vector<HostWish>& wishes,
                      const std::vector<ChildHost>& hosts, core::HostIndex home) {
    if (!wishes.empty()) return place_as_wished(ranks, wishes, hosts);
    std::vector<core::Share> shares;
    int left = ranks;
    auto rest = hosts;
    const auto give = [&shares, &left](ChildHost& host, int most) {
        const int here = std::min({most, left, host.room.value_or(left)});
        if (here <= 0) return;
        auto share = std::ranges::find(shares, host.host, &core::Share::host);
        if (share == shares.end()) share = shares.insert(share, {host.host, 0});
        share->ranks += here;
        left -= here;
        if (host.room) *host.room -= here;
    };
    for (auto& host : rest) give(host, host.free_slots);
    const auto first = shares.empty() ? home : shares.back().host;
    const auto others =
        std::ranges::stable_partition(rest, [first](const auto& one) { return one.host == first; });
    if (others.begin() == rest.begin()) rest.insert(rest.begin(), ChildHost{first, "", 0, {}});
    for (auto& host : rest) give(host, left);
    if (left > 0)
        return "the hosts have room for " + std::to_string(ranks - left) + " of " +
               std::to_string(ranks) + " processes (max_slots)";
    return shares;
}

}  // namespace ductile::plan
