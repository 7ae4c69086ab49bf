#include "engine/start_orders.hpp"

#include <utility>

namespace ductile::engine {

void StartOrders::put(Order order) {
    const std::lock_guard lock(mutex_);
    if (is_open_)
        order();
    else
        early_.push_back(std::move(order));
}

void StartOrders::open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    for (const auto& order : early_) order();
    early_.clear();
}

void StartOrders::close() {
    const std::lock_guard lock(mutex_);
    is_open_ = false;
}

}  // namespace ductile::engine
