// Moves frozen arrays while the program computes, after sources and newcomers are joined.
#pragma once

#include <vector>

#include "data/moved_ahead.hpp"
#include "engine/join_steps.hpp"

namespace ductile::engine {

/// The part of one rank. agree() and move() are collective over the joined communicator, and throw
/// MpiError, Abandoned. `joined.state` is rank 0's JoinState.
class MoveAhead {
  public:
    /// `mine`: what a source gives; empty for a newcomer. `joined`, `progress` and `mpi` must
    /// outlive this object.
    MoveAhead(const JoinedSides& joined, int sources, std::vector<data::Outgoing> mine,
              data::Progress& progress, const MpiCalls& mpi);

    /// Agrees on the arrays that all sources hold alike.
    void agree();
    /// Places a newcomer's parts of these arrays in the memory that the program wants.
    void give_homes(const data::Registry& registry) { data::give_homes(registry, ahead_.arrays); }
    /// Moves these arrays. When it returns, all ranks have them. `verify`: as in
    /// data::redistribute().
    data::MovedAhead move(bool verify);

  private:
    const JoinedSides& joined_;
    const int sources_;
    const std::vector<data::Outgoing> mine_;
    data::Progress& progress_;
    const MpiCalls& mpi_;
    const ductile::Place place_;  ///< rank and size in the joined communicator
    const JoinState state_;
    data::MovedAhead ahead_;
};

}  // namespace ductile::engine
