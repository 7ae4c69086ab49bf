#include "job/memory_access.hpp"

#include <algorithm>

namespace ductile {

std::string MemoryAccess::pack() const {
    std::string all;
    for (const auto& [data, bytes] : pieces_)
        all.append(reinterpret_cast<const char*>(data), bytes);
    return all;
}

bool MemoryAccess::accepts(std::string_view bytes) const {
    for (const auto& piece : pieces_) {
        if (piece.bytes > bytes.size()) return false;
        bytes.remove_prefix(piece.bytes);
    }
    return bytes.empty();
}

void MemoryAccess::unpack(std::string_view bytes) {
    for (const auto& piece : pieces_) {
        std::copy_n(bytes.data(), piece.bytes, reinterpret_cast<char*>(piece.data));
        bytes.remove_prefix(piece.bytes);
    }
}

std::string type_of_memory(const std::vector<ProgramMemory>& pieces) {
    std::string type = "memory of ";
    for (const auto& piece : pieces)
        type += (&piece == pieces.data() ? "" : " + ") + std::to_string(piece.bytes);
    return type + " bytes";
}

}  // namespace ductile
