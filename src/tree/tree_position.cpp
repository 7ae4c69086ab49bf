#include "tree/tree_position.hpp"

#include "tree/shape.hpp"

namespace ductile::tree {

TreePosition position_in_job(ProcessId self, int size, int k) {
    TreePosition position;
    position.self = self;
    position.rank = self.value;
    position.size = size;
    position.level = level_of(self.value, k);
    if (self.value > 0) position.parent = ProcessId{parent_rank(self.value, k)};
    const int children = child_count(self.value, size, k);
    position.children.reserve(static_cast<std::size_t>(children));
    for (int i = 0; i < children; ++i) {
        const auto rank = static_cast<int>(child_rank(self.value, i, k));
        position.children.push_back({ProcessId{rank}, rank});
    }
    return position;
}

}  // namespace ductile::tree
