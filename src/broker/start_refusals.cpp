#include "broker/start_refusals.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/named_groups.hpp"

namespace ductile::broker {

namespace {

using plan::Start;

// The most hosts of a spawn by a launcher. An MPI may take their names in one value of an info
// object (MPI_MAX_INFO_VAL: 1,024 bytes in MPICH), so the limit holds for each launcher.
constexpr std::size_t hosts_of_a_spawn = 60;

std::string name_of(const mpi::Capabilities& mpi) {
    return mpi.implementation + " " + mpi.version;
}

bool outlives(int worlds, const JobView& job) {
    return job.mpi.max_worlds_in_life != 0 && worlds >= job.mpi.max_worlds_in_life;
}

bool is_of_one_world(const core::Layout& layout) {
    return std::ranges::all_of(layout.active, [&](const core::RankRange& range) {
        return range.group == layout.active.front().group;
    });
}

// The number of old and new worlds.
int worlds_together(const PlannedResize& resize, const JobView& job) {
    return static_cast<int>(job.layout.groups().size() + resize.added.size());
}

}  // namespace

std::optional<std::string> why_not(Start start, const mpi::Capabilities& mpi) {
    const auto name = name_of(mpi);
    const auto instead = [&](const char* what) {
        return standard_start(mpi) == start
                   ? std::string()
                   : fmt::format(": use {}--start {}", what, plan::to_string(standard_start(mpi)));
    };
    if (start == Start::launch) {
        if (mpi.independent_connect) return std::nullopt;
        return fmt::format(
            "under {}, worlds that were started separately cannot connect with each other{}", name,
            instead(""));
    }
    if (!mpi.spawn)
        return fmt::format("{} cannot start processes itself (MPI_Comm_spawn){}", name,
                           instead(""));
    if (!mpi.parallel_spawn && plan::starts_each_host(start))
        return fmt::format(
            "{} fails when new processes start others and connect at the same time, as in this "
            "start{}",
            name, instead("another one, such as "));
    return std::nullopt;
}

std::optional<std::string> why_not(plan::Executor executor, const mpi::Capabilities& mpi) {
    const bool locks =
        executor == plan::Executor::rma_lock || executor == plan::Executor::rma_lockall;
    if (!locks || mpi.locks_between_worlds) return std::nullopt;
    return fmt::format(
        "under {}, MPI_Win_lock may never return if the other rank is of another world: use "
        "--redistribution p2p or alltoallv",
        name_of(mpi));
}

std::optional<std::string> why_not(const plan::Strategy& strategy) {
    if (strategy.joining == plan::Joining::point || strategy.memory == plan::Memory::keep ||
        strategy.overlap == plan::Overlap::blocking)
        return std::nullopt;
    return "--memory tight cannot be used with --join background, because frozen arrays are then "
           "in memory twice until the commit: use --join point";
}

Start standard_start(const mpi::Capabilities& mpi) {
    return mpi.independent_connect || !mpi.spawn ? Start::launch : Start::collective;
}

std::optional<Refused> refuse_start(Start start, const JobView& job) {
    if (const auto why = why_not(start, job.mpi)) return Refused{*why};
    if (start == Start::launch) return std::nullopt;
    // Each host with slots gets at most one group.
    if (job.next_group + static_cast<int>(job.allocation.hosts.size()) > core::named_groups)
        return Refused{
            fmt::format("the job has used {} ids of worlds, and ranks can start no world with an "
                        "id above {}: use --start launch",
                        job.next_group, core::named_groups - 1)};
    return std::nullopt;
}

std::optional<Refused> refuse_spawns(Start start, const std::vector<core::Group>& added,
                                     const JobView& job) {
    if (start == Start::launch) return std::nullopt;
    if (start == Start::single && job.mpi.spawn_hides_other_worlds && !is_of_one_world(job.layout))
        return Refused{fmt::format(
            "the ranks of the job are of several worlds, and under {} new ranks that one rank "
            "starts cannot find ranks of another world: use --start {}",
            name_of(job.mpi), plan::to_string(standard_start(job.mpi)))};
    const bool spans = std::any_of(added.begin(), added.end(),
                                   [](const core::Group& group) { return group.spans_hosts(); });
    const bool too_many = std::any_of(added.begin(), added.end(), [&](const core::Group& group) {
        return !job.mpi.agents_start_ranks && group.elsewhere.size() >= hosts_of_a_spawn;
    });
    if (too_many)
        return Refused{
            fmt::format("one MPI_Comm_spawn can name {} hosts at most: use another "
                        "--start than {}",
                        hosts_of_a_spawn, plan::to_string(start))};
    if (spans && !job.mpi.spawn_counts_by_host)
        return Refused{fmt::format(
            "one MPI_Comm_spawn of {} starts ranks on one host only: use another --start than {}",
            name_of(job.mpi), plan::to_string(start))};
    return std::nullopt;
}

std::optional<Refused> too_many_together(const PlannedResize& resize, const JobView& job) {
    const int limit = job.mpi.max_worlds_in_communicator;
    const int together = worlds_together(resize, job);
    if (limit == 0 || together < limit) return std::nullopt;
    return Refused{
        fmt::format("{} worlds would be too many: {} allows fewer than {} in one communicator; the "
                    "job can grow "
                    "when all ranks of a world have left",
                    together, name_of(job.mpi), limit)};
}

std::optional<Refused> refuse_worlds(const PlannedResize& resize, const JobView& job) {
    if (!outlives(job.mpi_worlds_seen + static_cast<int>(resize.added.size()), job))
        return std::nullopt;
    return Refused{fmt::format(
        "the job has used {} of the {} worlds that a process of {} can meet in its life; it "
        "can shrink and end, but not grow",
        job.mpi_worlds_seen, job.mpi.max_worlds_in_life - 1, name_of(job.mpi))};
}

// A replacement needs one world.
bool must_be_replaced_before(const PlannedResize& resize, const JobView& job) {
    const int limit = job.mpi.max_worlds_in_communicator;
    return outlives(job.mpi_worlds_seen + static_cast<int>(resize.added.size()) + 1, job) ||
           (limit != 0 && worlds_together(resize, job) + 1 >= limit);
}

}  // namespace ductile::broker
