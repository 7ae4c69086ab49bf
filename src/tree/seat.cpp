#include "tree/seat.hpp"

#include "tree/shape.hpp"

namespace ductile::tree {

Seat seat_in_job(ProcessId self, int size, int k) {
    Seat seat;
    seat.self = self;
    seat.rank = self.value;
    seat.size = size;
    seat.level = level_of(self.value, k);
    if (self.value > 0) seat.parent = ProcessId{parent_rank(self.value, k)};
    const int children = child_count(self.value, size, k);
    seat.children.reserve(static_cast<std::size_t>(children));
    for (int i = 0; i < children; ++i) {
        const auto rank = static_cast<int>(child_rank(self.value, i, k));
        seat.children.push_back({ProcessId{rank}, rank});
    }
    return seat;
}

}  // namespace ductile::tree
