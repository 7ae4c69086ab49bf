// The program's own work for its place in the job after a resize, while the program continues to
// compute.
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

/// At most one preparation is under way. The next one waits for it.
class Preparation {
  public:
    Preparation(AgentChannel& link, std::shared_ptr<const Hooks> hooks, core::Process self)
        : link_(link), hooks_(std::move(hooks)), self_(self) {}
    ~Preparation() { finish(); }
    Preparation(const Preparation&) = delete;
    Preparation& operator=(const Preparation&) = delete;

    /// Starts the program's calls on another thread. Does nothing if this transaction was begun
    /// before, if this process is not in the layout `after`, or if there are no calls. Sends
    /// Preparing (on), and at the end Preparing (off) or SwitchFailed. The link's thread calls
    /// this. Never blocks.
    void begin(core::TransactionId transaction, const core::Layout& after);
    /// Makes the calls in this thread. Throws ProgramFailed with what the program threw.
    void make(const core::Layout& after) const;
    /// The preparation of this transaction has begun and not ended.
    [[nodiscard]] bool is_open(core::TransactionId transaction);
    /// Waits until no preparation is under way. Calls `is_late` once, if that takes longer than
    /// `late`.
    void finish(const std::function<void()>& is_late = {},
                std::chrono::milliseconds late = std::chrono::seconds(10));

  private:
    [[nodiscard]] std::optional<ductile::Place> place_in(const core::Layout& after) const;
    void make_calls(ductile::Place place) const;
    void run(std::thread before, core::TransactionId transaction, ductile::Place place);

    AgentChannel& link_;
    const std::shared_ptr<const Hooks> hooks_;
    const core::Process self_;
    std::mutex mutex_;
    std::condition_variable ends_;
    core::TransactionId begun_{0}, ended_{0};
    std::thread thread_;
};

}  // namespace ductile::engine
