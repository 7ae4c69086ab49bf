// The two votes of a switch, over the vote duplicate: sources only, no deadline of their own.
#pragma once

#include <optional>

#include "core/ids.hpp"
#include "mpi/comm.hpp"

namespace ductile::engine {

struct Ballot {
    core::TransactionId transaction;
    std::int64_t point = 0;  ///< 0: not known to this rank
    bool yes = false;
    /// Cast by a helper because the broker was lost after the question: its rank does not stand at
    /// the point. One early ballot calls the resize off for everybody, so ranks that had heard of P
    /// and ranks that had not agree.
    bool early = false;
    /// Of the rank's registrations (data::fingerprint), in a first ballot of a rank that could ask
    /// its rules.
    std::optional<std::int64_t> fingerprint{};
};

/// The same on every rank.
struct Tally {
    bool all_yes = false;
    bool early = false;
    /// No ballot was early, and ranks that gave a fingerprint gave different ones.
    bool registrations_differ = false;
};

/// Collective over the sources. Every rank that has answered a question casts exactly one first
/// ballot, at its point or early. `all_yes` also needs the same transaction, point and fingerprint
/// on every rank.
Tally cast_vote(const mpi::Comm& vote, const Ballot& ballot);

}  // namespace ductile::engine
