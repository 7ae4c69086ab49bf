// A thread that looks from time to time whether there is something to do.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace ductile::groups {

/// The result of one look.
struct Looked {
    bool did_something = false;
    bool expects_more = false;
};

/// How long the helper sleeps after a look: `shortest` if the look did something, otherwise twice
/// as long as after the look before, up to a limit.
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
    /// The thread ends after a look that returns nothing.
    using Look = std::function<std::optional<Looked>()>;

    HelperThread() = default;
    ~HelperThread() { stop(); }
    HelperThread(const HelperThread&) = delete;
    HelperThread& operator=(const HelperThread&) = delete;

    void start(Look look);
    /// Tells the helper that something is expected soon. Does not wait for a look.
    void wake();
    /// Waits for the end of the current look, and ends the thread.
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
