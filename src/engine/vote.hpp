// The votes of a switch, over MemberComms::vote. Newcomers do not vote. The votes have no deadline.
#pragma once

#include <optional>

#include "core/ids.hpp"
#include "mpi/comm.hpp"

namespace ductile::engine {

struct Ballot {
    core::TransactionId transaction;
    std::int64_t point = 0;  ///< 0: in an early ballot, and in the last ballot of a switch
    bool yes = false;
    /// A helper casts it because the broker was lost: its rank is not at the point. One early
    /// ballot calls the resize off for all ranks. So all ranks get the same result, also if only
    /// some of them know the point.
    bool early = false;
    /// The fingerprint of the rank's registrations and terms, in the first ballot at the point.
    /// None if a rule of the program gave an error.
    std::optional<std::int64_t> fingerprint{};
};

/// The result of a vote. It is the same on every rank.
struct Tally {
    bool all_yes = false;
    bool early = false;
    /// No ballot was early, and two ranks gave different fingerprints.
    bool registrations_differ = false;
};

/// Collective over `vote`. Every rank that has answered a Prepare casts exactly one first ballot,
/// at the point or early. `all_yes` also requires the same transaction, point and fingerprint on
/// every rank.
Tally cast_vote(const mpi::Comm& vote, const Ballot& ballot);

}  // namespace ductile::engine
