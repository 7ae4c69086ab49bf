// Memory of old parts whose content has moved: the system gets its pages back before the part ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "data/local_moves.hpp"

namespace ductile::data {

/// Only memory of make_block counts that is neither the program's nor checked
/// (data/checked_memory.hpp); other memory stays as it is. What was given back is zero when
/// somebody reads it.
class DepartedMemory {
  public:
    explicit DepartedMemory(const std::vector<Outgoing>& arrays);
    /// Gives back each page of which all has departed now.
    void add(const std::vector<Departed>& departed);
    /// Of the memory that counts, in all.
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }

  private:
    using Ranges = std::map<std::uintptr_t, std::uintptr_t>;  ///< begin to end, apart

    Ranges ours_;
    Ranges departed_;
    std::int64_t bytes_ = 0;
};

}  // namespace ductile::data
