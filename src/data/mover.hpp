// How the bytes of a redistribution travel: an implementation, in a file of its own, for each
// executor (plan/methods.hpp).
#pragma once

#include <functional>
#include <memory>

#include "data/local_moves.hpp"
#include "data/progress.hpp"
#include "mpi/comm.hpp"
#include "plan/methods.hpp"

namespace ductile::data {

/// What is to move. `arrays` is the same list on all ranks but for the memory; `new_parts` is from
/// allocate_parts.
struct Movement {
    Parties parties;
    std::vector<Outgoing> arrays;
    std::vector<Block> new_parts;
    bool verify = false;                           ///< see redistribute()
    plan::Memory memory = plan::Memory::keep;      ///< likewise
    plan::Slice slice = {};                        ///< of what is to move
    std::shared_ptr<const Plans> plans = nullptr;  ///< null: they are made when they are needed
};

/// Says whether nobody waits any more.
using GivenUp = std::function<bool()>;

/// One rank's part of a redistribution. It owns all that MPI may touch, requests and buffers of its
/// own included. One that is given up is therefore kept until the process ends, whatever was under
/// way; `comm` and `progress` are not used then.
class Mover {
  public:
    Mover() = default;
    virtual ~Mover() = default;
    Mover(const Mover&) = delete;
    Mover& operator=(const Mover&) = delete;

    /// Waits for no other rank.
    virtual void start() = 0;
    /// Gets on until this rank's part is done: true. False when `given_up` says so while something
    /// is under way. Counts its steps as progress.
    virtual bool get_on(const GivenUp& given_up) = 0;
    /// Of a part that is done.
    [[nodiscard]] virtual Moved moved() const = 0;
};

/// What an implementation works with.
struct MoverInputs {
    const mpi::Comm& comm;
    Movement movement;
    Progress& progress;
};

/// What this rank of the communicator has to do.
inline LocalMoves moves_of(const mpi::Comm& comm, const Movement& movement) {
    const core::Rank me{comm.rank()};
    const auto of = [&](const Plans& plans) {
        return local_moves(me, plans, movement.arrays, movement.new_parts, movement.slice);
    };
    return movement.plans ? of(*movement.plans)
                          : of(plans_of(me, movement.parties, movement.arrays));
}

}  // namespace ductile::data
