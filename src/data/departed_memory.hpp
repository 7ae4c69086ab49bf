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
    /// What these moves have taken from old parts: sent, or copied to new parts.
    void add(const LocalMoves& moves);
    /// Each page of which all has departed.
    void give_back() const;
    /// In all, of any memory.
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }

  private:
    using Ranges = std::map<std::uintptr_t, std::uintptr_t>;  ///< begin to end, apart

    void add(const std::byte* memory, std::size_t bytes);

    Ranges ours_;
    Ranges departed_;
    std::int64_t bytes_ = 0;
};

}  // namespace ductile::data
