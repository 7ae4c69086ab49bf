// What a job is: who runs where, and what was used up so far. Plain data.
#pragma once

#include "broker/resize_planner.hpp"
#include "core/layout.hpp"

namespace ductile::broker {

struct JobLedger {
    core::Layout layout;
    core::SlotCounts given_back;  ///< by `ductile resize --release HOST:RANKS`
    int next_group = 0;
    int mpi_worlds_seen = 0;  ///< by the members that have met most
    int next_transaction = 1;
    Health health = Health::good;

    /// The job's rank 0. Precondition: there is one.
    [[nodiscard]] core::Process leader() const { return layout.at(core::Rank{0}); }
    [[nodiscard]] core::HostIndex leader_host() const { return layout.host_of(core::Rank{0}); }
    /// So many groups are about to be started: each is a world.
    void use_groups(int count) {
        next_group += count;
        mpi_worlds_seen += count;
    }
};

}  // namespace ductile::broker
