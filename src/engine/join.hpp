// Sources and newcomers become one communicator over their leaders' bridge.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/parts.hpp"
#include "data/progress.hpp"
#include "engine/membership.hpp"

namespace ductile::engine {

/// Which side of the join a process is on, and what its leader has.
struct JoinSide {
    mpi::SharedComm
        local;  ///< sources: the switch duplicate; newcomers: the communicator of all new groups
    int leader = 0;          ///< rank in `local` that holds the bridge (sources: 0)
    mpi::SharedComm bridge;  ///< on each side's leader; rank 0 of it is the program's
    bool newcomers = false;
    core::TransactionId transaction;
    std::vector<int> partners;  ///< of the other side, its ranks there (plan::join_partners)
    bool at_point = false;      ///< sources: nothing of the program's is under way
};

/// The partners of a process among the other side's. `everybody`: the processes of the joined
/// communicator, of which the first `sources` are the program's; `me`: its rank in it.
std::vector<int> partners_beyond(const std::vector<core::RankRange>& everybody, int sources,
                                 core::Rank me);

struct JoinedSides {
    MemberComms comms;
    std::string state;  ///< what rank 0 gave as `state`
};

/// The program's leader waits for the newcomers' word that they enter the join, asleep. False when
/// `given_up` says so before.
bool await_entry(const mpi::Comm& bridge, const std::function<bool()>& given_up);

/// The program's leader asks whether the newcomers' is still there, and all of its side hear the
/// answer. Collective over each side. Throws SystemError when there is none.
void meet(const JoinSide& side, data::Progress& progress);

/// After they have met: MPI_Intercomm_create over the bridge (the first step of `progress`), one
/// merge (newcomers high: final ranks are those of equation 9), and the two duplicates. Collective
/// over sources and newcomers; waits for both. Throws MpiError, Abandoned.
MemberComms connect_sides(const JoinSide& side, data::Progress& progress);

/// What a rank does by itself as soon as it knows the state: it allocates, say. What one of them
/// throws is thrown on all, as SystemError that names who.
struct OwnPart {
    std::string who;  ///< "rank 2", "new rank 5"
    std::function<void(const JoinedSides&)> work;
};

/// Rank 0's `state`, on all ranks, by which every process has exchanged something with the others,
/// and has done its own part. Collective over sources and newcomers. Throws MpiError, Abandoned.
JoinedSides exchange_state(MemberComms comms, const std::string& state, data::Progress& progress,
                           const OwnPart& own_part = {});

/// Rank 0's `state`, on every rank. Collective; throws MpiError.
std::string broadcast_state(const mpi::Comm& comm, const std::string& from_rank_0,
                            data::Progress& progress);

/// The least of what the ranks give, place by place. Collective; throws MpiError.
std::vector<std::uint8_t> least_of_all(const mpi::Comm& comm, const std::vector<std::uint8_t>& mine,
                                       data::Progress& progress);

/// Who holds the data before and after, as ranks of the joined communicator: the sources are its
/// first ranks, the targets those of the state. Throws Error when there are no such ranks.
data::Parties parties_of(const JoinState& state, int sources, const mpi::Comm& joined);

/// The job's communicators afterwards: the joined ones when all sources stay and come first; else
/// the targets' own, in their order, and none on a rank that leaves. To be called when the data
/// have been moved; when it returns on rank 0 all targets have theirs. Collective over sources and
/// newcomers; only newcomers, rank 0 and, where some leave, those that stay wait.
MemberComms comms_after(const MemberComms& joined, const data::Parties& parties,
                        const JoinSide& side, data::Progress& progress);

}  // namespace ductile::engine
