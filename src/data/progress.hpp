// How a helper that works inside MPI says that it gets on, and hears that it is no longer wanted.
#pragma once

#include <atomic>
#include <cstdint>

#include "ductile/error.hpp"

namespace ductile::data {

/// Thrown out of a helper's work when it finds itself abandoned.
class Abandoned : public Error {
  public:
    Abandoned() : Error("given up") {}
};

/// Shared by a helper and the thread that waits for it.
class Progress {
  public:
    /// The helper, after each MPI call: counts a step; throws Abandoned when nobody waits for the
    /// result any more.
    void step() {
        steps_.fetch_add(1, std::memory_order_relaxed);
        if (abandoned_.load(std::memory_order_relaxed)) throw Abandoned();
    }
    [[nodiscard]] bool abandoned() const { return abandoned_.load(std::memory_order_relaxed); }
    void abandon() { abandoned_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t steps() const { return steps_.load(std::memory_order_relaxed); }

  private:
    std::atomic<std::uint64_t> steps_{0};
    std::atomic<bool> abandoned_{false};
};

}  // namespace ductile::data
