// What makes a process a member of a job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/layout.hpp"
#include "data/shared_state.hpp"
#include "mpi/comm.hpp"
#include "plan/methods.hpp"

namespace ductile::engine {

/// The job's communicator, which the program sees, and its two private duplicates: votes of the
/// program's threads, and the work of helper threads at a switch. Shared: what a stuck helper uses
/// must stay alive.
struct MemberComms {
    mpi::SharedComm job;
    mpi::SharedComm vote;
    mpi::SharedComm switching;
};

/// The job as it was before any of its present parked ranks parked. It holds all members and all
/// parked ranks: with some parked, nobody joins before they are back.
struct BeforeParking {
    mpi::SharedComm comm;
    core::Layout layout;
};

/// All that a process has when it becomes a member, at the job's start or by a resize.
struct Membership {
    MemberComms comms;
    core::Layout layout;
    std::int64_t point = 0;                       ///< the job's count of resize points
    std::optional<BeforeParking> before_parking;  ///< while ranks are parked
};

/// The two duplicates of a new job communicator. Collective over it.
MemberComms with_duplicates(mpi::Comm job);

/// The job's communicators of some ranks of `all`, rising. Collective over those ranks alone
/// (MPI_Comm_create_group): the others cost them nothing.
MemberComms among(const mpi::Comm& all, const std::vector<core::Rank>& ranks);

/// Ranks 0 .. n-1.
std::vector<core::Rank> first_ranks(int n);

/// The members of a later layout, as ranks of `before.comm`, in the order of their ranks in the
/// later layout.
std::vector<core::Rank> ranks_before(const BeforeParking& before, const core::Layout& later);

/// The processes of a later layout in the order of their ranks there, as ranks of the joined
/// communicator: sources, then newcomers.
std::vector<core::Rank> targets_of(const core::Layout& joined, const core::Layout& later);

/// The ranks of a layout that are active in a later one, too, rising.
std::vector<core::Rank> ranks_that_stay(const core::Layout& layout, const core::Layout& later);

/// What rank 0 tells everybody when newcomers join: where the job is, and the replicated state
/// (data/shared_state.hpp).
struct JoinState {
    std::int64_t point = 0;
    core::Layout layout;  ///< afterwards
    /// Who holds the data afterwards, as ranks of the joined communicator, in the order of their
    /// ranks in the job then.
    std::vector<core::Rank> targets;
    std::string packed;
    plan::Executor redistribution = plan::Executor::p2p;
    plan::Memory memory = plan::Memory::keep;
};
std::string pack_join_state(const JoinState& state);
JoinState unpack_join_state(const std::string& bytes);

}  // namespace ductile::engine
