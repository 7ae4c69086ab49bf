// How the bytes of a redistribution travel. Each executor (plan/methods.hpp) is an implementation
// in a file of its own.
#pragma once

#include <functional>
#include <memory>

#include "data/local_moves.hpp"
#include "data/progress.hpp"
#include "mpi/comm.hpp"
#include "plan/methods.hpp"

namespace ductile::data {

/// What must move. `arrays` is the same list on all ranks, except for the memory. `new_parts` comes
/// from allocate_parts.
struct Movement {
    Parties parties;
    std::vector<Outgoing> arrays;
    std::vector<Block> new_parts;
    bool verify = false;                           ///< see redistribute()
    plan::Memory memory = plan::Memory::keep;      ///< see redistribute()
    plan::Slice slice = {};                        ///< the slice that moves
    std::shared_ptr<const Plans> plans = nullptr;  ///< null: they are made when needed
};

/// Whether nobody waits any more.
using GivenUp = std::function<bool()>;

/// One rank's part of a redistribution. It owns all memory that MPI may use, also its own requests
/// and buffers. So if it is given up while something is under way, it is kept until the process
/// ends. It does not use `comm` and `progress` then.
class Mover {
  public:
    Mover() = default;
    virtual ~Mover() = default;
    Mover(const Mover&) = delete;
    Mover& operator=(const Mover&) = delete;

    /// Starts to move. Waits for no other rank.
    virtual void start() = 0;
    /// Continues until this rank's part is done: true. False if `given_up` returns true while
    /// something is under way. Counts its steps as progress.
    virtual bool advance(const GivenUp& given_up) = 0;
    /// What has moved. This rank's part must be done.
    [[nodiscard]] virtual Moved moved() const = 0;
};

/// The arguments of an implementation.
struct MoverInputs {
    const mpi::Comm& comm;
    Movement movement;
    Progress& progress;
};

/// What this rank of the communicator must do.
inline LocalMoves moves_of(const mpi::Comm& comm, const Movement& movement) {
    const core::Rank me{comm.rank()};
    const auto of = [&](const Plans& plans) {
        return local_moves(me, plans, movement.arrays, movement.new_parts, movement.slice);
    };
    return movement.plans ? of(*movement.plans)
                          : of(plans_of(me, movement.parties, movement.arrays));
}

}  // namespace ductile::data
