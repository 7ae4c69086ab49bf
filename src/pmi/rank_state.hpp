// The state of one rank in the PMI protocol.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <variant>

#include "pmi/command.hpp"
#include "pmi/spawn_reader.hpp"

namespace ductile::pmi {

/// The rank's process has been started, or its next MPI program has, and has sent nothing.
struct Starting {};
/// The `init` of the rank's next program waits until the other ranks have finalised the one before.
struct AwaitsOthers {};
/// The rank has no open question.
struct Idle {};
/// The rank waits for the answer to barrier_in.
struct InBarrier {};
/// The rank's `get` waits until the gate is opened.
struct AtGate {};
/// The rank's `get` waits until it is known which ranks share a machine.
struct AwaitsMapping {};
/// The rank is sending `mcmd=spawn ... endcmd`.
struct TellingSpawn {
    SpawnReader reader;
};
/// The server has the rank's question about a name.
struct AskingName {
    NameQuestion question;
};
/// The server has the rank's MPI_Comm_spawn.
struct AskingSpawn {
    int ranks = 1;  ///< number of ranks to start
};
/// The rank has sent `finalize`. Its process runs.
struct Ended {};
/// The rank's process has ended, has aborted, or has broken the protocol.
struct Gone {};

using RankState = std::variant<Starting, AwaitsOthers, Idle, InBarrier, AtGate, AwaitsMapping,
                               TellingSpawn, AskingName, AskingSpawn, Ended, Gone>;

/// Whether barriers wait for the rank.
enum class Membership { member, leaving };

/// A rank of the world on this host.
struct LocalRank {
    int appnum = 0;
    int program = 0;  ///< the number of the MPI program that it runs, or has finalised
    RankState state = Starting{};
    Membership membership = Membership::member;
    std::size_t puts = 0;  ///< over the life of its program
    /// Further questions, from other threads, that came while a question was open. Each may have
    /// several lines.
    std::deque<std::string> waiting;
    std::size_t waiting_bytes = 0;  ///< size of these questions, with 1 byte more for each

    template <class State>
    [[nodiscard]] bool is() const {
        return std::holds_alternative<State>(state);
    }
    /// Whether the rank's program can still send commands.
    [[nodiscard]] bool lives() const { return !is<Gone>() && !is<Ended>(); }
    /// Whether the rank has an open question. It is answered before the next one.
    [[nodiscard]] bool waits() const {
        return is<AwaitsOthers>() || is<InBarrier>() || is<AtGate>() || is<AwaitsMapping>() ||
               is<AskingName>() || is<AskingSpawn>();
    }
    /// Whether a barrier waits for the rank. Its next program may enter the barrier.
    [[nodiscard]] bool counts() const { return !is<Gone>() && membership == Membership::member; }
};

}  // namespace ductile::pmi
