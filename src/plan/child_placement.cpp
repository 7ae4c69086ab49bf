#include "plan/child_placement.hpp"

#include <algorithm>

namespace ductile::plan {

namespace {

using Placed = std::variant<std::vector<core::Share>, std::string>;

/// Shares `ranks` equally among the hosts without a number, as far as they have room.
void share_equally(int ranks, std::vector<core::HostShare>& wishes,
                   const std::vector<const ChildHost*>& hosts) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < wishes.size(); ++i)
        if (!wishes[i].ranks) open.push_back(i), wishes[i].ranks = 0;
    while (ranks > 0 && !open.empty()) {
        auto left = static_cast<int>(open.size());
        std::vector<std::size_t> with_room;
        for (const auto i : open) {
            auto& mine = *wishes[i].ranks;
            const int part = (ranks + left - 1) / left;
            --left;
            const int here = std::min(part, hosts[i]->room.value_or(mine + part) - mine);
            mine += here;
            ranks -= here;
            if (here == part) with_room.push_back(i);
        }
        open = std::move(with_room);
    }
}

Placed place_as_wished(int ranks, std::vector<core::HostShare> wishes,
                       const std::vector<ChildHost>& hosts) {
    std::vector<const ChildHost*> named;
    int said = 0;
    for (auto& wish : wishes) {
        const auto found = find_host(wish.host, hosts);
        if (found == hosts.end()) return "host " + wish.host + " is not one of the job's";
        if (std::ranges::find(named, &*found) != named.end())
            return "host " + wish.host + " is named twice";
        named.push_back(&*found);
        const int here = std::min(wish.ranks.value_or(0), ranks - said);
        if (wish.ranks) wish.ranks = here;
        said += here;
        if (here > found->room.value_or(here))
            return "host " + wish.host + " has room for " + std::to_string(*found->room) + " of " +
                   std::to_string(here) + " processes (max_slots)";
    }
    share_equally(ranks - said, wishes, named);
    std::vector<core::Share> shares;
    int placed = 0;
    for (std::size_t i = 0; i < wishes.size(); ++i) {
        if (*wishes[i].ranks > 0) shares.push_back({named[i]->host, *wishes[i].ranks});
        placed += *wishes[i].ranks;
    }
    if (placed < ranks)
        return "the hosts that are named take " + std::to_string(placed) + " of " +
               std::to_string(ranks) + " ranks";
    return shares;
}

}  // namespace

std::vector<ChildHost>::const_iterator find_host(std::string_view name,
                                                 const std::vector<ChildHost>& hosts) {
    const auto by_name = std::ranges::find_if(
        hosts, [name](const ChildHost& host) { return core::is_same_host(host.name, name); });
    if (by_name != hosts.end() || name.empty()) return by_name;
    return std::ranges::find_if(
        hosts, [name](const ChildHost& host) { return core::is_same_host(host.host_name, name); });
}

std::vector<core::HostShare> read_host_shares(std::string_view text,
                                              const std::vector<ChildHost>& hosts) {
    const auto is_host = [&hosts](std::string_view name) {
        return find_host(name, hosts) != hosts.end();
    };
    std::vector<core::HostShare> shares;
    while (!text.empty()) {
        const auto word = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        auto share = core::read_host_share(word, is_host);
        if (!share) return {};
        shares.push_back(std::move(*share));
    }
    return shares;
}

Placed place_children(int ranks, const std::vector<core::HostShare>& wishes,
                      const std::vector<ChildHost>& hosts, core::HostIndex home) {
    if (!wishes.empty()) return place_as_wished(ranks, wishes, hosts);
    std::vector<core::Share> shares;
    int left = ranks;
    auto rest = hosts;
    const auto give = [&shares, &left](ChildHost& host, int most) {
        const int here = std::min({most, left, host.room.value_or(left)});
        if (here <= 0) return;
        const auto share = std::ranges::find(shares, host.host, &core::Share::host);
        if (share == shares.end())
            shares.push_back({host.host, 0});
        else
            std::rotate(share, share + 1, shares.end());
        shares.back().ranks += here;
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
