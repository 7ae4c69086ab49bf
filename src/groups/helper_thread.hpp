// A thread that looks now and then whether there is something to do.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace ductile::groups {

/// What one look came to.
struct Looked {
    bool did_something = false;
    bool expects_more = false;
};

/// How long the helper sleeps after a look: short after one that found something, then twice as
/// long each time, up to a limit.
class HelperPause {
  public:
    using Duration = std::chrono::microseconds;
    static constexpr Duration shortest{20}, longest_when_expecting{1000}, longest{5000};

    Duration after(const Looked& looked) {
        const auto most = looked.expects_more ? longest_when_expecting : longest;
        return pause_ = looked.did_something ? shortest : std::min(2 * pause_, most);
    }
    /// Something is expected soon.
    void woken() { pause_ = shortest; }

  private:
    Duration pause_ = shortest;
};

class HelperThread {
  public:
    /// After a look that gives nothing there is no other one.
    using Look = std::function<std::optional<Looked>()>;

    HelperThread() = default;
    ~HelperThread() { stop(); }
    HelperThread(const HelperThread&) = delete;
    HelperThread& operator=(const HelperThread&) = delete;

    void start(Look look);
    /// Something is expected here soon. Never blocks.
    void wake();
    /// Waits for the look at hand.
    void stop();

  private:
    void help(const Look& look);
    /// Whether to look again.
    bool sleep(HelperPause& pause, const Looked& looked);

    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_woken_ = false;
    bool is_stopped_ = false;
    std::thread thread_;
};

}  // namespace ductile::groups
