// The cost of a message in a simulated network.
#pragma once

#include <cstddef>

namespace ductile::sim {

/// A process handles one message at a time. The sender is busy for overhead_us, and for per_byte_us
/// per byte. Then the message travels for latency_us. Then the receiver is busy as long as the
/// sender was.
struct NetworkCosts {
    double latency_us = 1;
    double overhead_us = 1;
    double per_byte_us = 0;

    [[nodiscard]] double busy_us(std::size_t bytes) const {
        return overhead_us + per_byte_us * static_cast<double>(bytes);
    }
};

}  // namespace ductile::sim
