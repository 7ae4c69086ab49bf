#include "plan/connect_rounds.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace ductile::plan {

int ConnectRounds::rounds() const {
    return connections.empty() ? 0 : connections.back().round + 1;
}

std::vector<int> ConnectRounds::ports_of(int group) const {
    std::vector<int> accepting;
    for (const auto& connection : connections)
        if (connection.acceptor == group) accepting.push_back(connection.round);
    return accepting;
}

std::optional<Connection> ConnectRounds::connection_of(int position_of_set, int round) const {
    for (const auto& connection : connections)
        if (connection.round == round &&
            (connection.acceptor == position_of_set || connection.connector == position_of_set))
            return connection;
    return std::nullopt;
}

ConnectRounds connect_rounds(int groups) {
    if (groups < 0)
        throw std::invalid_argument("cannot connect " + std::to_string(groups) + " groups");
    ConnectRounds result{groups, {}};
    // Listing 2 of parallel-spawning-strategies. Of the sets 0 .. sets-1 the lower half accepts.
    // The upper half connects in mirror order and takes the acceptor's name. If the number of
    // sets is odd, the middle set waits. The remaining sets again have the numbers 0 .. sets-1.
    for (int sets = groups, round = 0; sets > 1; sets -= sets / 2, ++round)
        for (int acceptor = 0; acceptor < sets / 2; ++acceptor)
            result.connections.push_back({round, acceptor, sets - acceptor - 1});
    return result;
}

std::vector<int> set_before(const ConnectRounds& rounds, int leading, int round) {
    std::vector<std::vector<int>> set_led_by(static_cast<std::size_t>(rounds.groups));
    for (int group = 0; group < rounds.groups; ++group)
        set_led_by[static_cast<std::size_t>(group)] = {group};
    for (const auto& connection : rounds.connections) {
        if (connection.round >= round) break;
        auto& low = set_led_by.at(static_cast<std::size_t>(connection.acceptor));
        auto& high = set_led_by.at(static_cast<std::size_t>(connection.connector));
        low.insert(low.end(), high.begin(), high.end());
        high.clear();
    }
    return set_led_by.at(static_cast<std::size_t>(leading));
}

std::vector<Connection> itinerary(const ConnectRounds& rounds, int group) {
    std::vector<Connection> result;
    int leading = group;
    for (const auto& connection : rounds.connections) {
        if (connection.acceptor != leading && connection.connector != leading) continue;
        result.push_back(connection);
        leading = connection.acceptor;
    }
    return result;
}

bool connects_all(const ConnectRounds& rounds) {
    if (rounds.groups == 0) return rounds.connections.empty();
    auto merged = set_before(rounds, 0, rounds.rounds());
    std::sort(merged.begin(), merged.end());
    std::vector<int> every_group(static_cast<std::size_t>(rounds.groups));
    std::iota(every_group.begin(), every_group.end(), 0);
    return merged == every_group;
}

bool connections_are_disjoint(const ConnectRounds& rounds) {
    std::vector<int> last_connected(static_cast<std::size_t>(rounds.groups), -1);
    std::vector<bool> merged_away(static_cast<std::size_t>(rounds.groups), false);
    for (const auto& [round, acceptor, connector] : rounds.connections) {
        for (const int set : {acceptor, connector}) {
            if (set < 0 || set >= rounds.groups) return false;
            const auto at = static_cast<std::size_t>(set);
            if (merged_away[at] || last_connected[at] >= round) return false;
            last_connected[at] = round;
        }
        merged_away[static_cast<std::size_t>(connector)] = true;
    }
    return true;
}

}  // namespace ductile::plan
