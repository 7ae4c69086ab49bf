// Frozen arrays move while the program computes, when sources and newcomers are joined.
#pragma once

#include <vector>

#include "data/moved_ahead.hpp"
#include "engine/join.hpp"

namespace ductile::engine {

/// One rank's part of it. Each call is collective over the joined communicator, with rank 0's
/// JoinState as the joined sides' `state`, and throws MpiError, Abandoned.
class MoveAhead {
  public:
    /// `mine`: what a source gives; of a newcomer nothing. `joined` and `progress` outlive it.
    MoveAhead(const JoinedSides& joined, int sources, std::vector<data::Outgoing> mine,
              data::Progress& progress);

    /// Which arrays all sources hold alike.
    void agree();
    /// A newcomer's parts of them lie where the program wants them.
    void give_homes(const data::Registry& registry) { data::give_homes(registry, ahead_.arrays); }
    /// Moves these. With `verify` as data::redistribute().
    data::MovedAhead move(bool verify);

  private:
    const JoinedSides& joined_;
    const int sources_;
    const std::vector<data::Outgoing> mine_;
    data::Progress& progress_;
    const JoinState state_;
    data::MovedAhead ahead_;
};

}  // namespace ductile::engine
