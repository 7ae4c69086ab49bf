// A call that does not return until a test lets it.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include "data/progress.hpp"

namespace ductile::engine {

/// It does not notice that it is abandoned: like a call of MPI whose other side is dead.
class StuckCall {
  public:
    void operator()(data::Progress&) const { gate_.wait(); }
    void let_return() { open_->set_value(); }

  private:
    std::shared_ptr<std::promise<void>> open_ = std::make_shared<std::promise<void>>();
    std::shared_future<void> gate_ = open_->get_future().share();
};

/// A call that waits until it is abandoned.
inline void wait_until_abandoned(data::Progress& progress) {
    while (!progress.abandoned()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace ductile::engine
