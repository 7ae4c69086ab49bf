// Where one rank is in its conversation.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <variant>

#include "pmi/spawn_reader.hpp"

namespace ductile::pmi {

/// Its process has been started and has said nothing.
struct Starting {};
/// It has no open question.
struct Idle {};
/// Its barrier_in is to be answered.
struct InBarrier {};
/// Its `get` is held until the gate is opened.
struct AtGate {};
/// It is in the middle of `mcmd=spawn ... endcmd`.
struct TellingSpawn {
    SpawnReader reader;
};
enum class NameQuestion { publish, unpublish, lookup };
/// Its question about a name is with the server.
struct AskingName {
    NameQuestion question;
};
/// Its MPI_Comm_spawn is with the server.
struct AskingSpawn {
    int ranks = 1;  ///< asked for
};
/// It has said goodbye.
struct Ended {};
/// Its process has ended, has aborted, or has broken the protocol.
struct Gone {};

using RankState = std::variant<Starting, Idle, InBarrier, AtGate, TellingSpawn, AskingName,
                               AskingSpawn, Ended, Gone>;

/// Whether a rank that leaves the world is still counted where all ranks have to come.
enum class Membership { member, leaving };

/// A rank of the world on this host.
struct LocalRank {
    int appnum = 0;
    RankState state = Starting{};
    Membership membership = Membership::member;
    std::size_t puts = 0;  ///< in its life
    /// Further questions, of other threads, that came while one was open.
    std::deque<std::string> waiting_lines;
    std::size_t waiting_bytes = 0;  ///< of these, with 1 a line

    template <class State>
    [[nodiscard]] bool is() const {
        return std::holds_alternative<State>(state);
    }
    /// Whether it can still speak.
    [[nodiscard]] bool lives() const { return !is<Gone>() && !is<Ended>(); }
    /// Whether a question of it is open, so that it is to be answered before its next one.
    [[nodiscard]] bool waits() const {
        return is<InBarrier>() || is<AtGate>() || is<AskingName>() || is<AskingSpawn>();
    }
    /// Whether a barrier waits for it.
    [[nodiscard]] bool counts() const { return lives() && membership == Membership::member; }
};

}  // namespace ductile::pmi
