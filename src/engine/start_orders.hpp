// What the broker orders a member to do beside its program.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

namespace ductile::engine {

/// Orders that come before this process is a member wait until it is.
class StartOrders {
  public:
    using Order = std::function<void()>;  ///< must not block

    /// From the link's thread.
    void put(Order order);
    void open();
    void close();

  private:
    std::mutex mutex_;
    bool is_open_ = false;
    std::vector<Order> early_;
};

}  // namespace ductile::engine
