// The ordered list of a job's groups: who holds which ranks on which host.
#pragma once

#include <optional>
#include <vector>

#include "core/ids.hpp"

namespace ductile::core {

/// The ranks started together on one host, with their own MPI_COMM_WORLD.
struct Group {
    GroupId id;
    HostIndex host;
    int ranks = 0;
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

    bool operator==(const Layout&) const = default;
};

}  // namespace ductile::core
