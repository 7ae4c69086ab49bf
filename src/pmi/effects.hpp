// Actions that the part of a world on one host asks for.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "pmi/spawn_reader.hpp"
#include "pmi/world_messages.hpp"

namespace ductile::pmi {

/// A line for a rank. The caller adds the newline.
struct ToRank {
    WorldRank rank;
    std::string line;
    bool operator==(const ToRank&) const = default;
};
/// HostWorld::on_name_answer() brings the answer to this effect, to Unpublish and to Lookup.
struct Publish {
    WorldRank rank;
    std::string service, port;
    bool operator==(const Publish&) const = default;
};
struct Unpublish {
    WorldRank rank;
    std::string service;
    bool operator==(const Unpublish&) const = default;
};
struct Lookup {
    WorldRank rank;
    std::string service;
    bool operator==(const Lookup&) const = default;
};
/// HostWorld::on_spawn_answer() brings the answer. The request has at least one rank.
struct SpawnAsked {
    WorldRank rank;
    SpawnRequest request;
    bool operator==(const SpawnAsked&) const = default;
};
/// The rank has sent `finalize` and gets its answer. A further line other than
/// `init`, of its next program, breaks the protocol.
struct Finalized {
    WorldRank rank;
    bool operator==(const Finalized&) const = default;
};
/// The rank has called MPI_Abort. Its process must be killed.
struct Aborted {
    WorldRank rank;
    int code = 1;
    bool operator==(const Aborted&) const = default;
};
/// What the rank asked for by a call of MPI is impossible, and was answered with an error.
struct CallFailed {
    WorldRank rank;
    std::string call;  ///< "MPI_Comm_spawn"
    std::string why;   ///< follows "MPI_Comm_spawn by rank 3 fails: "
    bool operator==(const CallFailed&) const = default;
};
/// The rank has broken the protocol and counts as dead. Its process must be killed.
struct Misbehaved {
    WorldRank rank;
    std::string why;  ///< follows "rank 3 "
    bool operator==(const Misbehaved&) const = default;
};

using Effect =
    std::variant<ToRank, BarrierReached, LeftBarriers, GateReached, GateLost, Publish, Unpublish,
                 Lookup, SpawnAsked, CallFailed, Finalized, Aborted, Misbehaved>;
/// The effects of one step of a host's part, in this order.
using Outbox = std::vector<Effect>;

}  // namespace ductile::pmi
