// How well a job uses its ranks, from what the ranks measure. Pure.
#pragma once

#include <map>
#include <optional>

#include "core/layout.hpp"

namespace ductile::broker {

/// Keeps the newest window (a measured stretch of time) of each rank since the last resize.
class RankEfficiency {
  public:
    /// A rank has spent `useful_s` of the last `elapsed_s` outside MPI. Impossible values are
    /// ignored.
    void measured(const core::Process& process, double elapsed_s, double useful_s);
    /// The ranks of the job change.
    void forget() { useful_share_.clear(); }
    /// The communication efficiency: the largest value, over the active ranks, of the part of its
    /// time that a rank has spent outside MPI, from 0 to 1. None until each active rank has
    /// measured a window.
    [[nodiscard]] std::optional<double> of(const core::Layout& layout) const;

  private:
    std::map<core::Process, double> useful_share_;
};

}  // namespace ductile::broker
