// Memory of old parts whose content has moved. Its pages go back to the system before the part
// ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "data/local_moves.hpp"

namespace ductile::data {

/// Handles only ordinary memory of make_block and make_rows that is neither the program's nor
/// checked (data/checked_memory.hpp). Other memory stays as it is. A read of a page that was given
/// back gives zeros.
class DepartedMemory {
  public:
    explicit DepartedMemory(const std::vector<Outgoing>& arrays);
    /// Gives back to the system each page whose content has completely departed.
    void add(const std::vector<Departed>& departed);
    /// How many bytes have departed so far, of the memory that this object handles.
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }

  private:
    using Ranges = std::map<std::uintptr_t, std::uintptr_t>;  ///< begin to end, without overlap

    Ranges ours_;
    Ranges departed_;
    std::int64_t bytes_ = 0;
};

}  // namespace ductile::data
