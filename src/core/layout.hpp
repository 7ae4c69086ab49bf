// Which groups hold which ranks of a job, and on which hosts.
#pragma once

#include <compare>
#include <optional>
#include <set>
#include <string>
#include <utility>
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

/// Processes of one group on one host, with consecutive ranks in its MPI_COMM_WORLD.
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

/// The numbers of processes on their hosts, by which programs choose a GPU.
class LocalRanks {
  public:
    /// Processes with consecutive ranks in the same group, whose numbers are consecutive, too.
    struct Range {
        Process first;
        int ranks = 0;
        int number = 0;  ///< of the first process
        bool operator==(const Range&) const = default;
    };

    LocalRanks() = default;
    /// Precondition: the ranges rise by group and rank.
    explicit LocalRanks(std::vector<Range> ranges) : ranges_(std::move(ranges)) {}
    /// Adds a process behind all others.
    void add(const Process& process, int number);
    /// None if the number is not known.
    [[nodiscard]] std::optional<int> of(const Process& process) const;
    [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }
    /// Layouts with the same processes on the same hosts are equal, whatever their numbers.
    bool operator==(const LocalRanks& /*other*/) const { return true; }

  private:
    std::vector<Range> ranges_;
};

/// Ranks that are started together, with their own MPI_COMM_WORLD, over one or more hosts. Only
/// processes that the program starts itself (MPI_Comm_spawn_multiple) may have several shares on
/// one host.
///
/// Example: {g0, host 0, 5 ranks, elsewhere {{host 1, 2}, {host 2, 1}}} has its ranks 0-1 on host
/// 0, 2-3 on host 1 and 4 on host 2.
struct Group {
    GroupId id;
    HostIndex host;                     ///< the host of its first rank
    int ranks = 0;                      ///< the number of ranks on all its hosts
    std::vector<Share> elsewhere = {};  ///< ranks on further hosts, in the order of ranks

    /// The shares of the group, in the order of ranks.
    [[nodiscard]] std::vector<Share> shares() const;
    /// The hosts of the group, each once, in the order of their first ranks.
    [[nodiscard]] std::vector<HostIndex> hosts() const;
    [[nodiscard]] std::vector<RankRange> ranges() const;
    [[nodiscard]] bool spans_hosts() const { return !elsewhere.empty(); }
    [[nodiscard]] int ranks_on(HostIndex host) const;
    /// The host of a rank of the group. Throws std::out_of_range if there is no such rank.
    [[nodiscard]] HostIndex host_of(Rank rank) const;
    bool operator==(const Group&) const = default;
};

/// The number of ranks of all groups. Precondition: no id occurs twice.
int ranks_of(const std::vector<Group>& groups);

/// The ranks of a job, in order, and its parked processes. A parked process sleeps and has no rank
/// in the job (zombie shrinkage, ZS, in parallel-spawning-strategies, section 4.6).
///
/// New groups are appended in the order of their ids (equation (9) of
/// parallel-spawning-strategies), or their ranks are put between the old ranks. The ranks that stay
/// keep their order. A parked process that comes back is appended. A host that has parked processes
/// also has active processes.
struct Layout {
    std::vector<RankRange> active;  ///< the job's ranks 0, 1, ...
    std::vector<RankRange> parked;  ///< by group, then by rank
    SlotCounts slots = {};          ///< slots of the hosts of active ranks, if on() has set them
    LocalRanks local_ranks = {};    ///< of these processes, if the broker has set them

    /// The layout of a job that begins with these groups.
    static Layout of(const std::vector<Group>& groups);

    [[nodiscard]] int size() const;
    [[nodiscard]] bool empty() const { return active.empty(); }
    [[nodiscard]] int parked_size() const;
    /// Groups with active or parked processes, each once, by rising id.
    [[nodiscard]] std::vector<GroupId> groups() const;
    /// Whether this process, or a process of this group, is active or parked.
    [[nodiscard]] bool holds(const Process& process) const;
    [[nodiscard]] bool holds(GroupId group) const;
    /// The process with this rank in the job, and its host. Throws std::out_of_range if there is
    /// none.
    [[nodiscard]] Process at(Rank rank) const;
    [[nodiscard]] HostIndex host_of(Rank rank) const;
    /// The rank in the job. Returns nullopt for a process that is not active.
    [[nodiscard]] std::optional<Rank> rank_of(const Process& process) const;
    /// Active ranks on a host (vector R of the paper).
    [[nodiscard]] int ranks_on(HostIndex host) const;
    [[nodiscard]] int parked_on(HostIndex host) const;
    /// Hosts of active ranks, in the order in which they appear.
    [[nodiscard]] std::vector<HostIndex> hosts() const;

    /// This layout, with the slots of its hosts.
    [[nodiscard]] Layout on(const Allocation& hosts) const;
    [[nodiscard]] Layout with(const std::vector<Group>& added) const;
    /// Adds groups between the present ranks. `places`: the new rank of each present rank, in
    /// ascending order. The added ranks get the remaining ranks, in order. Precondition: `places`
    /// has one place for each present rank, within the new size.
    [[nodiscard]] Layout with_between(const std::vector<Group>& added,
                                      const std::vector<Rank>& places) const;
    /// Removes the active ranks of `leaving` and parks those of `parking`. On a host that has no
    /// active rank afterwards, no process stays parked: the processes that would be parked there,
    /// and those that were parked there before, leave the job.
    [[nodiscard]] Layout without(const std::set<Rank>& leaving,
                                 const std::set<Rank>& parking = {}) const;
    /// The first `count` parked processes become active, as the last ranks. Throws
    /// std::out_of_range if fewer processes are parked, or if `count` is negative.
    [[nodiscard]] Layout with_back(int count) const;

    bool operator==(const Layout&) const = default;
};

/// What a resize does to the processes that exist before it.
struct Change {
    std::vector<RankRange> leaving;    ///< active or parked before, neither afterwards
    std::vector<RankRange> parking;    ///< active before, parked afterwards
    std::vector<RankRange> returning;  ///< parked before, active afterwards
    bool operator==(const Change&) const = default;
};
Change change_between(const Layout& before, const Layout& after);

/// The number of processes in these ranges.
int ranks_in(const std::vector<RankRange>& ranges);
[[nodiscard]] bool holds(const std::vector<RankRange>& ranges, const Process& process);

}  // namespace ductile::core
