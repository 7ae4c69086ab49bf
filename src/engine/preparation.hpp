// The program's own work for its place in the job after a resize, while the program computes on.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "core/ids.hpp"
#include "core/layout.hpp"
#include "engine/hooks.hpp"
#include "engine/obstacle.hpp"

namespace ductile::engine {

/// At most one is under way; one that is begun while another is waits for it.
class Preparation {
  public:
    Preparation(std::shared_ptr<const Hooks> hooks, core::Process self)
        : hooks_(std::move(hooks)), self_(self) {}
    ~Preparation() { finish(); }
    Preparation(const Preparation&) = delete;
    Preparation& operator=(const Preparation&) = delete;

    /// Unless it was begun before, or this process is not in the layout afterwards, or there is
    /// nothing to do. From the link's thread; never blocks.
    void begin(core::TransactionId transaction, const core::Layout& after);
    /// Makes the calls in this thread. Throws ProgramFailed that says what the program threw.
    void make(const core::Layout& after) const;
    /// Until what was begun for this transaction is over, or `given_up` says so: why the rank
    /// cannot go on, if it cannot.
    Obstacle wait(core::TransactionId transaction, const std::function<bool()>& given_up);
    /// Until nothing is under way.
    void finish();

  private:
    [[nodiscard]] std::optional<Place> place_in(const core::Layout& after) const;
    void make_calls(Place place) const;
    void run(std::thread before, core::TransactionId transaction, Place place);

    const std::shared_ptr<const Hooks> hooks_;
    const core::Process self_;
    std::mutex mutex_;
    std::condition_variable over_;
    core::TransactionId begun_{0}, ended_{0};
    Obstacle obstacle_;  ///< of the one that has ended
    std::thread thread_;
};

}  // namespace ductile::engine
