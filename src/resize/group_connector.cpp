#include "resize/group_connector.hpp"

#include <algorithm>
#include <set>

#include "ductile/error.hpp"

namespace ductile::resize {

GroupConnector::GroupConnector(std::vector<core::Group> added, plan::Readiness readiness)
    : readiness_(readiness),
      added_(std::move(added)),
      rounds_(plan::connect_rounds(static_cast<int>(added_.size()))),
      sides_(added_.size()),
      open_(rounds_.connections) {}

int GroupConnector::position(core::GroupId group) const {
    const auto it =
        std::find_if(added_.begin(), added_.end(), [&](const auto& g) { return g.id == group; });
    if (it == added_.end())
        throw InputError("group " + std::to_string(group.value) +
                         " is not one of the groups that are starting");
    return static_cast<int>(it - added_.begin());
}

void GroupConnector::hold(core::GroupId group) {
    ++sides_[static_cast<std::size_t>(position(group))].holds;
}

std::vector<ConnectRoundOrder> GroupConnector::release(core::GroupId group) {
    --sides_[static_cast<std::size_t>(position(group))].holds;
    return next();
}

bool GroupConnector::knows(core::GroupId group) const {
    return std::ranges::find(added_, group, &core::Group::id) != added_.end();
}

int GroupConnector::ranks_of(core::GroupId group) const {
    const auto it = std::ranges::find(added_, group, &core::Group::id);
    return it == added_.end() ? 0 : it->ranks;
}

std::vector<ConnectRoundOrder> GroupConnector::hello(const core::Process& rank) {
    const auto p = static_cast<std::size_t>(position(rank.group));
    if (rank.rank.value < 0 || rank.rank.value >= added_[p].ranks)
        throw InputError("rank " + core::to_string(rank) + " is not one of the new ranks");
    sides_[p].hellos.insert(rank.rank);
    return next();
}

std::vector<ConnectRoundOrder> GroupConnector::ready(core::GroupId group, int ranks,
                                                     const std::vector<int>& rounds,
                                                     const std::vector<std::string>& ports) {
    const int p = position(group);
    const auto& expected = added_[static_cast<std::size_t>(p)];
    if (ranks != expected.ranks)
        throw InputError("group " + std::to_string(group.value) + " has started with " +
                         std::to_string(ranks) + " ranks, not " + std::to_string(expected.ranks));
    if (rounds != rounds_.ports_of(p) || rounds.size() != ports.size())
        throw InputError("group " + std::to_string(group.value) +
                         " has not opened the ports of its rounds");
    auto& side = sides_[static_cast<std::size_t>(p)];
    side.ready = true;
    for (std::size_t i = 0; i < rounds.size(); ++i) side.ports[rounds[i]] = ports[i];
    return next();
}

std::vector<ConnectRoundOrder> GroupConnector::round_done(core::GroupId leading, int round) {
    const int p = position(leading);
    const auto it = std::find_if(open_.begin(), open_.end(), [&](const auto& m) {
        return m.acceptor == p && m.round == round;
    });
    if (it == open_.end() || !sides_[static_cast<std::size_t>(p)].busy)
        throw InputError("group " + std::to_string(leading.value) +
                         " reports a connection in round " + std::to_string(round) +
                         ", but connects with no group in this round");
    open_.erase(it);
    sides_[static_cast<std::size_t>(p)].busy = false;
    return next();
}

bool GroupConnector::all_ready() const {
    return not_ready().empty();
}

bool GroupConnector::has_heard_all(std::size_t position) const {
    return sides_[position].hellos.size() == static_cast<std::size_t>(added_[position].ranks);
}

std::vector<core::GroupId> GroupConnector::not_ready() const {
    std::vector<core::GroupId> waiting;
    for (std::size_t i = 0; i < sides_.size(); ++i)
        if (!sides_[i].ready || !has_heard_all(i)) waiting.push_back(added_[i].id);
    return waiting;
}

std::vector<ConnectRoundOrder> GroupConnector::next() {
    const auto can_connect = [this](int p) {
        const auto& side = sides_[static_cast<std::size_t>(p)];
        return side.holds == 0 && side.ready && has_heard_all(static_cast<std::size_t>(p)) &&
               !side.busy;
    };
    if (readiness_ == plan::Readiness::tree) return {};
    std::vector<ConnectRoundOrder> orders;
    std::set<int> earlier;  // sets with a connection that must come first
    for (const auto& m : open_) {
        const bool free = can_connect(m.acceptor) && can_connect(m.connector) &&
                          !earlier.contains(m.acceptor) && !earlier.contains(m.connector);
        earlier.insert(m.acceptor);
        earlier.insert(m.connector);
        if (!free) continue;
        sides_[static_cast<std::size_t>(m.acceptor)].busy = true;
        sides_[static_cast<std::size_t>(m.connector)].busy = true;
        ConnectRoundOrder order{
            m.round, sides_[static_cast<std::size_t>(m.acceptor)].ports.at(m.round), {}};
        for (const int leading : {m.acceptor, m.connector})
            for (const int p : plan::set_before(rounds_, leading, m.round))
                order.groups.push_back(added_[static_cast<std::size_t>(p)].id);
        orders.push_back(std::move(order));
    }
    return orders;
}

}  // namespace ductile::resize
