// Replicated values that are memory of the program's, of no type that C++ knows.
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

/// Several pieces, one after the other.
class MemoryAccess final : public detail::ReplicatedAccess {
  public:
    explicit MemoryAccess(std::vector<ProgramMemory> pieces) : pieces_(std::move(pieces)) {}
    [[nodiscard]] std::string pack() const override;
    [[nodiscard]] bool accepts(std::string_view bytes) const override;
    void unpack(std::string_view bytes) override;

  private:
    std::vector<ProgramMemory> pieces_;
};

/// A name for the type, which tells pieces of other sizes apart: "memory of 8 + 4 bytes".
std::string type_of_memory(const std::vector<ProgramMemory>& pieces);

}  // namespace ductile
