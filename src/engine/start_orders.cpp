#include "engine/start_orders.hpp"

namespace ductile::engine {

void StartOrders::put(const StartOrder& order) {
    const std::lock_guard lock(mutex_);
    if (is_open_)
        spawner_.carry_out(order, member_.membership().comms.switching);
    else
        early_.push_back(order);
}

void StartOrders::open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    for (const auto& order : early_)
        spawner_.carry_out(order, member_.membership().comms.switching);
    early_.clear();
}

void StartOrders::close() {
    const std::lock_guard lock(mutex_);
    is_open_ = false;
}

}  // namespace ductile::engine
