// Which new group accepts and which connects in each round of the binary connection, as data.
#pragma once

#include <optional>
#include <vector>

namespace ductile::plan {

/// Two sets of merged groups that become one. A set is named by its leading position: the lowest
/// position in it, whose first rank is rank 0 of the set's communicator. The merged set keeps the
/// acceptor's name.
struct Meeting {
    int round = 0;
    int acceptor = 0;   ///< leading position of the set that accepts, on the port (acceptor, round)
    int connector = 0;  ///< leading position of the set that connects
    bool operator==(const Meeting&) const = default;
};

/// The binary connection of parallel-spawning-strategies, section 4.4 and Listing 2, over the
/// positions 0 .. groups-1 of the new groups. Every set that accepts does so on a port of its own
/// for that round: with one port for all rounds, as in Listing 2, a set that is left out of a round
/// may connect early and be taken for the one that is expected.
///
/// Example, 7 groups (Figure 3 of the paper), acceptor<connector:
///   round 0: 0<6 1<5 2<4 (3 is left out);  round 1: 0<3 1<2;  round 2: 0<1
struct ConnectRounds {
    int groups = 0;
    std::vector<Meeting> meetings;  ///< by round, then by acceptor

    /// Number of rounds: the smallest r with 2^r >= groups; 0 for no group or one.
    [[nodiscard]] int rounds() const;
    /// The rounds, rising, in which this group's first rank accepts: one port for each. Of 7
    /// groups, group 0 needs ports for rounds 0, 1 and 2, group 1 for 0 and 1, group 2 for 0, the
    /// others need none.
    [[nodiscard]] std::vector<int> ports_of(int group) const;
    /// What the set with this leading position does in a round; nothing when it is left out, or is
    /// no longer the name of a set.
    [[nodiscard]] std::optional<Meeting> meeting_of(int position_of_set, int round) const;

    bool operator==(const ConnectRounds&) const = default;
};

/// The rounds that connect `groups` new groups. Throws std::invalid_argument for a negative number.
ConnectRounds connect_rounds(int groups);

/// The groups merged under `leading` when the round begins, in the order of their ranks in the
/// merged communicator (MPI_Intercomm_merge with the acceptor low, so its ranks come first). Empty
/// when `leading` no longer names a set. Of 7 groups, set_before(r, 0, 2) is {0, 6, 3}, and
/// set_before(r, 0, 3) is {0, 6, 3, 1, 5, 2, 4}: the order that equation (9) then puts right.
std::vector<int> set_before(const ConnectRounds& rounds, int leading, int round);

/// The meetings, by round, that the set holding `group` takes part in: the way through the
/// connection for each rank of that group. Of 7 groups, group 5 has {0, 1, 5} (it connects to 1),
/// {1, 1, 2} (its set, led by 1, accepts 2) and {2, 0, 1}.
std::vector<Meeting> itinerary(const ConnectRounds& rounds, int group);

/// Whether every group is in one set, led by position 0, when all rounds are over.
bool connects_all(const ConnectRounds& rounds);
/// Whether within each round no set meets twice, and every meeting is between two sets that still
/// exist.
bool meetings_are_disjoint(const ConnectRounds& rounds);

}  // namespace ductile::plan
