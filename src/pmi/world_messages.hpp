// Messages between the part of a world on one host and the server of the whole world.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <variant>

#include "core/ids.hpp"

namespace ductile::pmi {

/// A rank in the world's MPI_COMM_WORLD, from 0. Not a rank in the job.
using WorldRank = core::Id<struct WorldRankTag>;
/// Number of a barrier of a world, from 0.
using BarrierRound = core::Id<struct BarrierRoundTag>;
/// Keys and their values, within limits::key_bytes and limits::value_bytes.
using Keys = std::map<std::string, std::string, std::less<>>;

/// All ranks of the host that take part have entered the barrier.
struct BarrierReached {
    BarrierRound round;
    Keys keys;  ///< keys put on the host since its last barrier
    bool operator==(const BarrierReached&) const = default;
};
/// No rank of the host takes part in barriers any more. Sent once.
struct LeftBarriers {
    Keys keys;  ///< keys put since the host's last barrier
    bool operator==(const LeftBarriers&) const = default;
};
/// All ranks of the host wait at the gate of a spawned world: each is in MPI_Init, and asks for the
/// port of its parent. Sent at most once.
struct GateReached {
    bool operator==(const GateReached&) const = default;
};
/// A rank of the host has ended before the gate was opened, so the spawn fails.
struct GateLost {
    WorldRank rank;
    bool operator==(const GateLost&) const = default;
};
/// From a host to the server.
using FromHost = std::variant<BarrierReached, LeftBarriers, GateReached, GateLost>;

/// Every rank that takes part has entered the barrier.
struct BarrierReleased {
    BarrierRound round;
    Keys keys;  ///< keys put on all hosts since the last barrier
    bool operator==(const BarrierReleased&) const = default;
};
/// Which ranks share a machine: the answer to a `get` of PMI_process_mapping. WorldServer does
/// not send it.
struct MappingKnown {
    std::string mapping;  ///< empty: there is no such key, and MPI compares host names instead
    bool operator==(const MappingKnown&) const = default;
};
/// Opens the gate: the ranks of a spawned world may connect to their parent.
struct ReleaseGate {
    bool operator==(const ReleaseGate&) const = default;
};
/// From the server to a host.
using ToHost = std::variant<BarrierReleased, ReleaseGate>;

}  // namespace ductile::pmi
