// Orders to start groups, on their way to the spawner.
#pragma once

#include <mutex>
#include <vector>

#include "engine/member_state.hpp"
#include "engine/spawner.hpp"

namespace ductile::engine {

/// Those that come before this process is a member wait until it is.
class StartOrders {
  public:
    StartOrders(Spawner& spawner, const MemberState& member) : spawner_(spawner), member_(member) {}

    /// From the link's thread; never blocks.
    void put(const StartOrder& order);
    void open();
    void close();

  private:
    Spawner& spawner_;
    const MemberState& member_;
    std::mutex mutex_;
    bool is_open_ = false;
    std::vector<StartOrder> early_;
};

}  // namespace ductile::engine
