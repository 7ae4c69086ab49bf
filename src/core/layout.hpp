// The ordered list of a job's groups: who holds which ranks on which host.
#pragma once

#include <optional>
#include <vector>

#include "core/ids.hpp"

namespace ductile::core {

/// Ranks of a group on one host.
struct Share {
    HostIndex host;
    int ranks = 0;
    bool operator==(const Share&) const = default;
};

/// The ranks started together, with their own MPI_COMM_WORLD: on one host, but for the initial
/// group of a one-world job, which may span hosts.
///
/// Example: {g0, host 0, 5 ranks, elsewhere {{host 1, 2}, {host 2, 1}}} has its ranks 0-1 on host
/// 0, 2-3 on host 1 and 4 on host 2.
struct Group {
    GroupId id;
    HostIndex host;                     ///< of its first rank
    int ranks = 0;                      ///< all of them, but for those that are parked
    std::vector<Share> elsewhere = {};  ///< ranks on further hosts, in the order of ranks
    /// Ranks that are asleep, after the others in the group's MPI_COMM_WORLD; they do not count as
    /// ranks of the job (ZS, parallel-spawning-strategies, section 4.6).
    int parked = 0;

    /// All its hosts, in the order of ranks.
    [[nodiscard]] std::vector<Share> shares() const;
    [[nodiscard]] bool spans_hosts() const { return !elsewhere.empty(); }
    [[nodiscard]] int ranks_on(HostIndex host) const;
    /// The host of a rank of the group. Precondition: 0 <= rank < ranks.
    [[nodiscard]] HostIndex host_of(Rank rank) const;
    bool operator==(const Group&) const = default;
};

/// Groups in the order of their ranks: the first group holds the job's ranks 0 .. ranks-1, and so
/// on. With new groups appended by rising id this is the order of equation (9) of
/// parallel-spawning-strategies.
struct Layout {
    std::vector<Group> groups;

    [[nodiscard]] int size() const;
    [[nodiscard]] bool empty() const { return groups.empty(); }
    [[nodiscard]] const Group* find(GroupId id) const;
    /// Job rank of the group's first rank. Precondition: the group is in the layout.
    [[nodiscard]] Rank first_rank(GroupId id) const;
    /// The group that holds a job rank. Precondition: 0 <= rank < size().
    [[nodiscard]] const Group& group_of(Rank rank) const;
    /// Ranks of the job on a host (vector R of the paper).
    [[nodiscard]] int ranks_on(HostIndex host) const;
    /// Distinct hosts, in the order in which their first group appears.
    [[nodiscard]] std::vector<HostIndex> hosts() const;

    [[nodiscard]] Layout with(const std::vector<Group>& added) const;
    [[nodiscard]] Layout without(const std::vector<GroupId>& leaving) const;
    /// So many ranks more of the last group are parked, or, if negative, so many of its parked
    /// ones are back. Since the last ranks park and the first ones come back, only the last group
    /// has parked ranks, and nobody else's rank changes.
    [[nodiscard]] Layout with_parked(int more) const;
    /// All that are parked.
    [[nodiscard]] int parked() const;

    bool operator==(const Layout&) const = default;
};

}  // namespace ductile::core
