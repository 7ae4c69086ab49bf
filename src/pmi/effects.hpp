// What the part of a world on one host wants done.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "pmi/spawn_reader.hpp"
#include "pmi/world_messages.hpp"

namespace ductile::pmi {

/// A line for a rank; the newline is still to be added.
struct ToRank {
    WorldRank rank;
    std::string line;
    bool operator==(const ToRank&) const = default;
};
/// The next three are answered by NameAnswer.
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
/// Answered by SpawnAnswer. Has at least one rank.
struct SpawnAsked {
    WorldRank rank;
    SpawnRequest request;
    bool operator==(const SpawnAsked&) const = default;
};
/// The rank has said goodbye and has been answered; its process ends next.
struct Finalized {
    WorldRank rank;
    bool operator==(const Finalized&) const = default;
};
/// The rank has called MPI_Abort: its process must be killed.
struct Aborted {
    WorldRank rank;
    int code = 1;
    bool operator==(const Aborted&) const = default;
};
/// The rank has broken the protocol and is treated as one that died: its process must be killed.
struct Misbehaved {
    WorldRank rank;
    std::string why;  ///< follows "rank 3 "
    bool operator==(const Misbehaved&) const = default;
};

using Effect = std::variant<ToRank, BarrierReached, LeftBarriers, GateReached, GateLost, Publish,
                            Unpublish, Lookup, SpawnAsked, Finalized, Aborted, Misbehaved>;
/// What a step of a host's part wants done, in this order.
using Outbox = std::vector<Effect>;

}  // namespace ductile::pmi
