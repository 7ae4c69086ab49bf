// Orders of the broker to a member that are independent of its program.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

namespace ductile::engine {

/// Orders that come before this process is a member wait until it is one.
class StartOrders {
  public:
    using Order = std::function<void()>;  ///< must not block

    /// The link's thread calls this.
    void put(Order order);
    void open();
    void close();

  private:
    std::mutex mutex_;
    bool is_open_ = false;
    std::vector<Order> early_;
};

}  // namespace ductile::engine
