// Joins sources and newcomers into one communicator, over the bridge of their leaders.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/parts.hpp"
#include "data/progress.hpp"
#include "engine/membership.hpp"

namespace ductile::engine {

/// The side of a process in the join, and what the leader of that side has.
struct JoinSide {
    mpi::SharedComm
        local;  ///< sources: the switch duplicate; newcomers: the communicator of all new groups
    int leader = 0;          ///< rank in `local` that holds the bridge (sources: 0)
    mpi::SharedComm bridge;  ///< on the leader of each side; its rank 0 is the program's leader
    bool newcomers = false;
    core::TransactionId transaction;
    std::vector<int> partners;  ///< ranks on the other side (plan::join_partners)
    bool at_point = false;      ///< sources: the program has no MPI calls under way
};

/// The partners of a process on the other side. `everybody`: the processes of the joined
/// communicator. The first `sources` of them are the program's. `me`: the rank of this process
/// there.
std::vector<int> partners_beyond(const std::vector<core::RankRange>& everybody, int sources,
                                 core::Rank me);

struct JoinedSides {
    MemberComms comms;
    std::string state;  ///< the `state` that rank 0 passed
};

/// The program's leader sleeps until the newcomers say that they enter the join. False if
/// `given_up` returns true first.
bool await_entry(const mpi::Comm& bridge, const std::function<bool()>& given_up);

/// The program's leader asks whether the newcomers' leader is still there, and tells the answer to
/// all sources. All newcomers wait for the question. Collective over each side. On the sources,
/// throws SystemError if `progress` is abandoned before the answer comes.
void handshake(const JoinSide& side, data::Progress& progress);

/// After handshake(): MPI_Intercomm_create over the bridge (the first step of `progress`), one
/// merge (newcomers high: the final ranks are those of equation (9) of
/// parallel-spawning-strategies), and the two duplicates. Collective over sources and newcomers;
/// waits for both. Throws MpiError, Abandoned.
MemberComms connect_sides(const JoinSide& side, data::Progress& progress);

/// Local work of a rank, such as allocation, that starts when the rank knows the state. If the work
/// throws on one rank, all ranks throw SystemError that names this rank.
struct OwnPart {
    std::string who;  ///< "rank 2", "new rank 5"
    std::function<void(const JoinedSides&)> work;
};

/// Returns rank 0's `state` on all ranks. Afterwards every process has exchanged something with the
/// others and has done its own part. Collective over sources and newcomers. Throws MpiError,
/// Abandoned.
JoinedSides exchange_state(MemberComms comms, const std::string& state, data::Progress& progress,
                           const OwnPart& own_part = {});

/// Returns the text of rank 0 on every rank. Collective. Throws MpiError, Abandoned.
std::string broadcast_state(const mpi::Comm& comm, const std::string& from_rank_0,
                            data::Progress& progress);

/// The smallest value among the ranks, for each position. Collective. Throws MpiError, Abandoned.
std::vector<std::uint8_t> min_of_all(const mpi::Comm& comm, const std::vector<std::uint8_t>& mine,
                                     data::Progress& progress);

/// The ranks that hold the data before and after, as ranks of the joined communicator of `joined`
/// ranks. Sources are its first ranks; `state` names the targets. Throws Error if a target is not
/// a rank of that communicator.
data::Parties parties_of(const JoinState& state, int sources, int joined);

/// The job's communicators after the join. If all sources stay and come first: the joined
/// communicators. Otherwise new communicators of the targets, in their order, and none on a rank
/// that leaves. Call it after the data have moved, or, with tight memory, before. When it returns
/// on rank 0, all newcomers have called it. Collective over sources and newcomers. Newcomers and
/// rank 0 wait. The other sources wait only if they are in new communicators.
MemberComms comms_after(const MemberComms& joined, const data::Parties& parties,
                        const JoinSide& side, data::Progress& progress);

}  // namespace ductile::engine
