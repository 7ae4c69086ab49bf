#include "tree/shape.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace ductile::tree {

void require_branching(int k) {
    if (k < 2 || k > max_branching)
        throw std::invalid_argument("a tree cannot have " + std::to_string(k) +
                                    " children a vertex: 2 to " + std::to_string(max_branching) +
                                    " are possible");
}

int child_count(int rank, int size, int k) {
    const auto before = std::int64_t{k} * rank;
    return static_cast<int>(std::clamp<std::int64_t>(size - 1 - before, 0, k));
}

int parent_rank(int rank, int k) {
    return rank == 0 ? 0 : (rank - 1) / k;
}

std::int64_t child_rank(int rank, int i, int k) {
    return std::int64_t{k} * rank + i + 1;
}

int capacity(int height, int k) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    std::int64_t vertices = 0;
    for (int level = 0; level < height && vertices < most; ++level) vertices = vertices * k + 1;
    return static_cast<int>(std::min(vertices, most));
}

int height(int size, int k) {
    int levels = 0;
    while (capacity(levels, k) < size) ++levels;
    return levels;
}

int level_of(int rank, int k) {
    int level = 0;
    for (int r = rank; r > 0; r = parent_rank(r, k)) ++level;
    return level;
}

}  // namespace ductile::tree
