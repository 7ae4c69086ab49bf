// What a message costs in a simulated network.
#pragma once

#include <cstddef>

namespace ductile::sim {

/// A process handles one message at a time. To send one it is busy for overhead_us + per_byte_us
/// for each byte; the message then travels for latency_us; to take it in the receiver is busy for
/// as long as the sender was.
struct NetworkCosts {
    double latency_us = 1;
    double overhead_us = 1;
    double per_byte_us = 0;

    [[nodiscard]] double busy_us(std::size_t bytes) const {
        return overhead_us + per_byte_us * static_cast<double>(bytes);
    }
};

}  // namespace ductile::sim
