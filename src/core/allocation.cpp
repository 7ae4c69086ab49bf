#include "core/allocation.hpp"

namespace ductile::core {

int Allocation::total_slots() const {
    int total = 0;
    for (const auto& host : hosts) total += host.slots;
    return total;
}

const Host& Allocation::at(HostIndex host) const {
    return hosts.at(static_cast<std::size_t>(host.value));
}

}  // namespace ductile::core
