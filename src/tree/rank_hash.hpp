// H of shrink-and-hash: which process of the job keeps the entry of a rank.
#pragma once

#include <cstdint>
#include <numeric>

#include "tree/tree_position.hpp"

namespace ductile::tree {

/// H(rank) = (unit * rank + shift) mod processes, where `unit` is a unit of the ring. A group has
/// at most as many members as the job has processes, so no two ranks of a group have their entries
/// at the same process. The result is an id in the job, so groups of groups use all processes of
/// the job.
class RankHash {
  public:
    /// `shift` differs between groups. Without it all groups would use the same intermediaries
    /// first.
    RankHash(int processes, int shift)
        : processes_(processes), shift_((shift % processes + processes) % processes) {
        // With a unit near the golden section of the ring, neighbouring ranks go to distant
        // processes.
        unit_ = static_cast<int>(static_cast<double>(processes) * 0.6180339887) + 1;
        while (std::gcd(unit_, processes_) != 1) ++unit_;
    }

    [[nodiscard]] ProcessId operator()(int rank) const {
        return ProcessId{
            static_cast<int>((std::int64_t{unit_} * rank + shift_) % std::int64_t{processes_})};
    }

  private:
    int processes_;
    int shift_;
    int unit_ = 1;
};

/// The hashes of the groups that one enrolment makes, one for each colour.
struct HashFamily {
    int processes = 1;  ///< processes of the job
    int salt = 0;       ///< a number of this enrolment

    [[nodiscard]] RankHash of(Colour colour) const {
        // Neighbouring colours begin far apart. Together they use each process about once.
        const auto mixed = (static_cast<std::uint32_t>(colour.value) * 2654435761U) >> 1U;
        return {processes, static_cast<int>((mixed + std::int64_t{salt}) % processes)};
    }
};

}  // namespace ductile::tree
