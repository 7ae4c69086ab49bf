// The only word that resize_point() touches when no resize is due.
#pragma once

#include <atomic>
#include <cstdint>

namespace ductile::engine {

/// Counts the resize points that a rank has entered, and holds two flags: *armed* (the rank passes
/// no further point without permission of the broker) and *pending* (a resize is being prepared).
/// It is one word, so that arming and counting are one atomic operation: the count that arm()
/// returns is the last point that was passed unasked.
class PointCounter {
  public:
    struct Entered {
        std::int64_t point = 0;  ///< number of the point entered now; the first one is 1
        bool armed = false;
        bool pending = false;
    };

    /// The program calls this at a resize point.
    Entered enter() {
        const std::uint64_t old = word_.fetch_add(one_point, std::memory_order_acq_rel);
        return {static_cast<std::int64_t>(old / one_point) + 1, (old & armed_bit) != 0,
                (old & pending_bit) != 0};
    }
    /// From now on no point passes unasked. Returns the number of points entered. Any thread may
    /// call this.
    std::int64_t arm() {
        return static_cast<std::int64_t>(word_.fetch_or(armed_bit, std::memory_order_acq_rel) /
                                         one_point);
    }
    void disarm() { word_.fetch_and(~armed_bit, std::memory_order_acq_rel); }
    void set_pending(bool on) {
        if (on)
            word_.fetch_or(pending_bit, std::memory_order_acq_rel);
        else
            word_.fetch_and(~pending_bit, std::memory_order_acq_rel);
    }
    /// A new member takes over the count of the job. Clears both flags.
    void set_count(std::int64_t count) {
        word_.store(static_cast<std::uint64_t>(count) * one_point, std::memory_order_release);
    }
    [[nodiscard]] std::int64_t count() const {
        return static_cast<std::int64_t>(word_.load(std::memory_order_acquire) / one_point);
    }

  private:
    static constexpr std::uint64_t armed_bit = 1;
    static constexpr std::uint64_t pending_bit = 2;
    static constexpr std::uint64_t one_point = 4;
    std::atomic<std::uint64_t> word_{0};
};

}  // namespace ductile::engine
