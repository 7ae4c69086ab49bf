// The program's own work for its place in the job after a resize, while the program computes on.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "core/ids.hpp"
#include "core/layout.hpp"
#include "engine/agent_channel.hpp"
#include "engine/hooks.hpp"

namespace ductile::engine {

/// At most one is under way; one that is begun while another is waits for it.
class Preparation {
  public:
    Preparation(AgentChannel& link, std::shared_ptr<const Hooks> hooks, core::Process self)
        : link_(link), hooks_(std::move(hooks)), self_(self) {}
    ~Preparation() { finish(); }
    Preparation(const Preparation&) = delete;
    Preparation& operator=(const Preparation&) = delete;

    /// Unless it was begun before, or this process is not in the layout afterwards, or there is
    /// nothing to do. Says Preparing, and at its end Preparing or SwitchFailed. From the link's
    /// thread; never blocks.
    void begin(core::TransactionId transaction, const core::Layout& after);
    /// Makes the calls in this thread. Throws ProgramFailed that says what the program threw.
    void make(const core::Layout& after) const;
    /// What was begun for this transaction has not ended.
    [[nodiscard]] bool is_open(core::TransactionId transaction);
    /// Until nothing is under way. `is_late` is called once when that takes so long.
    void finish(const std::function<void()>& is_late = {},
                std::chrono::milliseconds late = std::chrono::seconds(10));

  private:
    [[nodiscard]] std::optional<Place> place_in(const core::Layout& after) const;
    void make_calls(Place place) const;
    void run(std::thread before, core::TransactionId transaction, Place place);

    AgentChannel& link_;
    const std::shared_ptr<const Hooks> hooks_;
    const core::Process self_;
    std::mutex mutex_;
    std::condition_variable ends_;
    core::TransactionId begun_{0}, ended_{0};
    std::thread thread_;
};

}  // namespace ductile::engine
