// Which new group accepts and which group connects, in each round of the binary connection, as
// data.
#pragma once

#include <optional>
#include <vector>

namespace ductile::plan {

/// Two sets of merged groups that become one set. The name of a set is its leading position: the
/// lowest position in it. The first rank of the group at this position is rank 0 of the set's
/// communicator. The merged set keeps the acceptor's name.
struct Connection {
    int round = 0;
    int acceptor = 0;   ///< leading position of the set that accepts, on the port (acceptor, round)
    int connector = 0;  ///< leading position of the set that connects
    bool operator==(const Connection&) const = default;
};

/// The binary connection of parallel-spawning-strategies, section 4.4 and Listing 2, over the
/// positions 0 .. groups-1 of the new groups. A set has a port of its own for each round in which
/// it accepts. With one port for all rounds, as in Listing 2, a set that is left out of a round may
/// connect too early, and the acceptor would take it for the expected set.
///
/// Example, 7 groups (Figure 3 of the paper), acceptor<connector:
///   round 0: 0<6 1<5 2<4 (3 is left out);  round 1: 0<3 1<2;  round 2: 0<1
struct ConnectRounds {
    int groups = 0;
    std::vector<Connection> connections;  ///< by round, then by acceptor

    /// The number of rounds: the smallest r with 2^r >= groups; 0 for no group or one group.
    [[nodiscard]] int rounds() const;
    /// The rounds, rising, in which this group's first rank accepts. It needs one port for each. Of
    /// 7 groups, group 0 needs ports for rounds 0, 1 and 2, group 1 for 0 and 1, group 2 for 0. The
    /// other groups need no port.
    [[nodiscard]] std::vector<int> ports_of(int group) const;
    /// The connection of the set with this leading position in a round. Returns nullopt if the set
    /// is left out, or if no set has this name any more.
    [[nodiscard]] std::optional<Connection> connection_of(int position_of_set, int round) const;

    bool operator==(const ConnectRounds&) const = default;
};

/// The rounds that connect `groups` new groups. Throws std::invalid_argument for a negative number.
ConnectRounds connect_rounds(int groups);

/// The groups that are merged under `leading` when the round begins, in the order of their ranks in
/// the merged communicator (MPI_Intercomm_merge with the acceptor low, so its ranks come first).
/// Empty if no set has the name `leading` any more. Of 7 groups, set_before(r, 0, 2) is {0, 6, 3},
/// and set_before(r, 0, 3) is {0, 6, 3, 1, 5, 2, 4}. Equation (9) then corrects this order.
std::vector<int> set_before(const ConnectRounds& rounds, int leading, int round);

/// The connections, by round, in which the set that holds `group` takes part. Each rank of the
/// group goes through these connections. Of 7 groups, group 5 has {0, 1, 5} (it connects to 1), {1,
/// 1, 2} (its set, led by 1, accepts 2) and {2, 0, 1}.
std::vector<Connection> itinerary(const ConnectRounds& rounds, int group);

/// Whether every group is in one set, led by position 0, after all rounds.
bool connects_all(const ConnectRounds& rounds);
/// Whether in each round no set connects twice, and each connection is between two sets that still
/// exist.
bool connections_are_disjoint(const ConnectRounds& rounds);

}  // namespace ductile::plan
