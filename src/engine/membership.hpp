// What makes a process a member of a job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/layout.hpp"
#include "data/registry.hpp"
#include "mpi/comm.hpp"

namespace ductile::engine {

/// The job's communicator, which the program sees, and its two private duplicates: votes of the
/// program's threads, and the work of helper threads at a switch. Shared: what a stuck helper uses
/// must stay alive.
struct MemberComms {
    mpi::SharedComm job;
    mpi::SharedComm vote;
    mpi::SharedComm switching;
};

/// All that a process has when it becomes a member, at the job's start or by a resize.
struct Membership {
    MemberComms comms;
    core::Layout layout;
    std::int64_t point = 0;  ///< the job's count of resize points
};

/// The two duplicates of a new job communicator. Collective over it.
MemberComms with_duplicates(mpi::Comm job);

/// What rank 0 tells everybody at an expand: where the job is, and the replicated state
/// (data/registry.hpp).
struct JoinState {
    std::int64_t point = 0;
    core::Layout layout;
    std::string packed;
};
std::string pack_join_state(const JoinState& state);
JoinState unpack_join_state(const std::string& bytes);

}  // namespace ductile::engine
