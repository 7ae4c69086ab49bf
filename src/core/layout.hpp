// Who holds which ranks of a job on which host.
#pragma once

#include <compare>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/allocation.hpp"
#include "core/ids.hpp"

namespace ductile::core {

/// Ranks of a group on one host.
struct Share {
    HostIndex host;
    int ranks = 0;
    bool operator==(const Share&) const = default;
};

/// A process of a job: a rank in the MPI_COMM_WORLD of the group with which it was started.
struct Process {
    GroupId group;
    Rank rank;
    auto operator<=>(const Process&) const = default;
};
/// "g2.1"
std::string to_string(const Process& process);

/// Processes of one group on one host, whose ranks in its MPI_COMM_WORLD follow each other.
struct RankRange {
    GroupId group;
    HostIndex host;
    Rank first;
    int ranks = 0;

    [[nodiscard]] bool holds(const Process& process) const {
        return process.group == group && process.rank >= first &&
               process.rank.value < first.value + ranks;
    }
    bool operator==(const RankRange&) const = default;
};

/// The ranks that are started together, with their own MPI_COMM_WORLD, over one or more hosts.
///
/// Example: {g0, host 0, 5 ranks, elsewhere {{host 1, 2}, {host 2, 1}}} has its ranks 0-1 on host
/// 0, 2-3 on host 1 and 4 on host 2.
struct Group {
    GroupId id;
    HostIndex host;                     ///< of its first rank
    int ranks = 0;                      ///< on all its hosts
    std::vector<Share> elsewhere = {};  ///< ranks on further hosts, in the order of ranks

    /// All its hosts, in the order of ranks.
    [[nodiscard]] std::vector<Share> shares() const;
    [[nodiscard]] std::vector<RankRange> ranges() const;
    [[nodiscard]] bool spans_hosts() const { return !elsewhere.empty(); }
    [[nodiscard]] int ranks_on(HostIndex host) const;
    /// The host of a rank of the group. Throws std::out_of_range where there is no such rank.
    [[nodiscard]] HostIndex host_of(Rank rank) const;
    bool operator==(const Group&) const = default;
};

/// The ranks of all groups. Precondition: none of their ids is there twice.
int ranks_of(const std::vector<Group>& groups);

/// The ranks of a job, in their order, and its parked ones, which are asleep and have no rank in
/// the job (ZS, parallel-spawning-strategies, section 4.6).
///
/// New groups are appended by rising id, the order of equation (9) of
/// parallel-spawning-strategies, or come between the ranks that are there; no rank that stays
/// changes places with another one. A parked process that comes back is appended. A host has parked
/// processes only beside active ones.
struct Layout {
    std::vector<RankRange> active;  ///< the job's ranks 0, 1, ...
    std::vector<RankRange> parked;  ///< by group, then by rank
    SlotCounts slots = {};          ///< of the hosts of active ranks, where they are known (on)

    /// Of a job that begins with these groups.
    static Layout of(const std::vector<Group>& groups);

    [[nodiscard]] int size() const;
    [[nodiscard]] bool empty() const { return active.empty(); }
    [[nodiscard]] int parked_size() const;
    /// Groups with active or parked processes, each once, by rising id.
    [[nodiscard]] std::vector<GroupId> groups() const;
    /// Active or parked.
    [[nodiscard]] bool holds(const Process& process) const;
    [[nodiscard]] bool holds(GroupId group) const;
    /// The process with this rank in the job, and its host; std::out_of_range where there is none.
    [[nodiscard]] Process at(Rank rank) const;
    [[nodiscard]] HostIndex host_of(Rank rank) const;
    /// The rank in the job; nothing for a process that is not active.
    [[nodiscard]] std::optional<Rank> rank_of(const Process& process) const;
    /// Active ranks on a host (vector R of the paper).
    [[nodiscard]] int ranks_on(HostIndex host) const;
    [[nodiscard]] int parked_on(HostIndex host) const;
    /// Hosts of active ranks, in the order in which they appear.
    [[nodiscard]] std::vector<HostIndex> hosts() const;

    /// Knowing the slots of its hosts.
    [[nodiscard]] Layout on(const Allocation& hosts) const;
    [[nodiscard]] Layout with(const std::vector<Group>& added) const;
    /// The ranks that are there get these ranks, which rise; the new ones, in their order, the
    /// others. Precondition: there is a place for each, within the new size.
    [[nodiscard]] Layout with_between(const std::vector<Group>& added,
                                      const std::vector<Rank>& places) const;
    /// Without the active ranks of `leaving` and `parking`. Those of `parking` are parked, but for
    /// those on hosts without an active rank afterwards: they leave, and who was parked there, too.
    [[nodiscard]] Layout without(const std::set<Rank>& leaving,
                                 const std::set<Rank>& parking = {}) const;
    /// The first `count` parked processes are back, as the last ranks. Throws std::out_of_range
    /// where there are not so many.
    [[nodiscard]] Layout with_back(int count) const;

    bool operator==(const Layout&) const = default;
};

/// What a resize does to the processes that are there before it.
struct Change {
    std::vector<RankRange> leaving;    ///< active or parked before, neither afterwards
    std::vector<RankRange> parking;    ///< active before, parked afterwards
    std::vector<RankRange> returning;  ///< parked before, active afterwards
    bool operator==(const Change&) const = default;
};
Change change_between(const Layout& before, const Layout& after);

/// All processes of the ranges.
int ranks_in(const std::vector<RankRange>& ranges);
[[nodiscard]] bool holds(const std::vector<RankRange>& ranges, const Process& process);

}  // namespace ductile::core
