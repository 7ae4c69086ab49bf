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

/// The job's communicator, which the program sees, and its two private duplicates: `vote` for the
/// votes of a switch, `switching` for its other work, which helper threads may do. Shared, because
/// a stuck helper may use them for ever.
struct MemberComms {
    mpi::SharedComm job;
    mpi::SharedComm vote;
    mpi::SharedComm switching;
};

/// The job as it was when no rank was parked. It holds all members and all parked ranks. While
/// ranks are parked, newcomers cannot join.
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

/// The job's communicators for `ranks` (ranks of `all`), in this order. Collective over these ranks
/// only (MPI_Comm_create_group): they do not wait for other ranks.
MemberComms among(const mpi::Comm& all, const std::vector<core::Rank>& ranks);

/// Ranks 0 .. n-1.
std::vector<core::Rank> first_ranks(int n);

/// The members of a later layout, as ranks of `before.comm`, in the order of their ranks in the
/// later layout.
std::vector<core::Rank> ranks_before(const BeforeParking& before, const core::Layout& later);

/// The processes of a later layout, in the order of their ranks there, as ranks of the joined
/// communicator (sources, then newcomers).
std::vector<core::Rank> targets_of(const core::Layout& joined, const core::Layout& later);

/// The ranks of a layout that are also active in a later one, rising.
std::vector<core::Rank> ranks_that_stay(const core::Layout& layout, const core::Layout& later);

/// What rank 0 sends to all ranks when newcomers join or parked ranks come back: the state of the
/// job, and the replicated values (data/shared_state.hpp).
struct JoinState {
    std::int64_t point = 0;
    core::Layout layout;  ///< after the resize
    /// The holders of the data after the resize, as ranks of the joined communicator, in the order
    /// of their new ranks. Empty if parked ranks come back.
    std::vector<core::Rank> targets;
    std::string packed;  ///< by data::pack_state
    plan::Executor redistribution = plan::Executor::p2p;
    plan::Memory memory = plan::Memory::keep;
};
std::string pack_join_state(const JoinState& state);
JoinState unpack_join_state(const std::string& bytes);

}  // namespace ductile::engine
