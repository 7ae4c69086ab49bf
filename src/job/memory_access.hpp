// Replicated values in memory of the program, without a C++ type.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ductile/replicated.hpp"

namespace ductile {

struct ProgramMemory {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
};

/// Several pieces of memory, one after the other.
class MemoryAccess final : public detail::ReplicatedAccess {
  public:
    explicit MemoryAccess(std::vector<ProgramMemory> pieces) : pieces_(std::move(pieces)) {}
    [[nodiscard]] std::string pack() const override;
    [[nodiscard]] bool accepts(std::string_view bytes) const override;
    void unpack(std::string_view bytes) override;

  private:
    std::vector<ProgramMemory> pieces_;
};

/// A name for the type, with the sizes of the pieces: "memory of 8 + 4 bytes".
std::string type_of_memory(const std::vector<ProgramMemory>& pieces);

}  // namespace ductile
